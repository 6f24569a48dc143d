#define array_length(array) (sizeof(array) / sizeof((array)[0]))
