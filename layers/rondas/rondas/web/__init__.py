"""Reading pages of the web for a model, without letting them reach what is not public."""
