/* Giving the CPU away, while that is a good bargain. */
#ifndef OWN_CORE_YIELD_H
#define OWN_CORE_YIELD_H

#include <stdbool.h>

/* Yields once; false, and nothing done, when it has lately been a bad bargain here. *used becomes
 * true if somebody took the CPU. */
bool own_yield_once(bool *used);

#endif
