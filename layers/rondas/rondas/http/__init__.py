"""HTTP in and HTTP out: what the functions share of Powertools' resolver."""
