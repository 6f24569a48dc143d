"""Real programs on glibc's locks and on ownline's, for scripts/bench-real."""
