"""Strict fakes of the three model services: real HTTP, real error shapes, and no patience with a wrong request."""
