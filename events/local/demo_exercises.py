"""The exercises the demo model knows, and how people call them."""

import re

EXERCISES = (
    "bench press",
    "squat",
    "deadlift",
    "shoulder press",
    "barbell row",
    "pull-up",
    "dips",
    "biceps curl",
    "romanian deadlift",
    "leg press",
    "lunge",
    "lat pulldown",
    "triceps pushdown",
    "hip thrust",
)
"""What "every exercise" means to the demo model: more of them than a message has rounds."""

NAMES = {
    "bench press|press (de )?banca": "bench press",
    "squat|sentadilla": "squat",
    "romanian|rumano": "romanian deadlift",
    "deadlift|peso muerto": "deadlift",
    "shoulder press|overhead press|press militar": "shoulder press",
    "pull-?ups?|dominadas": "pull-up",
    r"\brow\b|\bremo\b": "row",
    r"\bdips?\b|fondos": "dips",
    "leg press|prensa": "leg press",
    "lunge|zancada": "lunge",
    "pulldown|jal[oó]n": "lat pulldown",
    "push-?down": "triceps pushdown",
    "hip thrust|empuje de cadera": "hip thrust",
    r"bi?ceps curl|curl de b[ií]ceps": "biceps curl",
    r"\bcurl": "curl",
}


def exercise_in(text: str) -> str:
    """Returns the exercise a text is about, in the catalogue's words; bench press where it names none."""
    return named_in(text) or "bench press"


def named_in(text: str) -> str:
    """Returns the exercise a text names, in the catalogue's words; empty where it names none."""
    return next((name for pattern, name in NAMES.items() if re.search(pattern, text, re.IGNORECASE)), "")
