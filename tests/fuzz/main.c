/* Runs a fuzz target over the files that are named, without libFuzzer. */
#include "fuzz/fuzz.h"

int main(int argc, char **argv)
{
	static uint8_t data[1 << 16];

	if (argc < 2) {
		fprintf(stderr, "usage: %s FILE...\n", argv[0]);
		return 2;
	}
	for (int i = 1; i < argc; i++) {
		FILE *file = fopen(argv[i], "rb");
		uint8_t *input;
		size_t size;

		if (!file) {
			perror(argv[i]);
			return 1;
		}
		size = fread(data, 1, sizeof(data), file);
		fclose(file);
		/* A copy of the exact size: a read past it is found by AddressSanitizer, as in a
		 * fuzzing run. */
		input = malloc(size > 0 ? size : 1);
		FUZZ_CHECK(input);
		for (size_t n = 0; n < size; n++)
			input[n] = data[n];
		LLVMFuzzerTestOneInput(input, size);
		free(input);
	}
	printf("%d inputs\n", argc - 1);
	return 0;
}
