/*
 * Delay injection, for tests: in a build with OWN_DELAYS every labelled step of the slow paths may
 * take a random while, so that interleavings happen that are too rare otherwise. In every other
 * build own_step is nothing.
 *
 * A step is a place where another thread's step in between could matter: before or after an access
 * to a word that others change.
 */
#ifndef OWN_SYS_DELAY_H
#define OWN_SYS_DELAY_H

#ifdef OWN_DELAYS
/* Does nothing, pauses, yields or sleeps, by the seed of OWNLINE_DELAY_SEED. Keeps errno. */
void own_delay(const char *label);
#define own_step(label) own_delay(label)
#else
#define own_step(label) ((void)0)
#endif

#endif
