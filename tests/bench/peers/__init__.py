"""One adapter for each peer: `Agent()` is ready to serve, `turn` answers a message, `seed` stores earlier ones."""
