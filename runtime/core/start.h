/* The runtime's start and end: options, counters, hooks; the report at exit. Locks work without. */
#ifndef OWN_CORE_START_H
#define OWN_CORE_START_H

/* Makes a static link take in the constructor together with the locks. */
void own_start_anchor(void);

#endif
