"""HTTP in and HTTP out: what the functions share of Powertools' resolver (DESIGN §7)."""
