"""The runner behind scripts/bench."""
