/* No tunables: mutexes are not elided. */
