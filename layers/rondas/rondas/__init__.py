"""Rondas: the harness around a model that always answers.

Read `loop.py` first; everything else serves it.
"""
