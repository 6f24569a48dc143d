/* What glibc was configured with: nothing that these tests look at. */
