"""The demo model's plans for what a person keeps: workouts, measurements and goals."""

import re

from local.demo_exercises import exercise_in, named_in
from local.demo_scene import Call, Scene
from local.demo_step import Ask, Step, failure, number, sentence
from local.demo_words import figure, goal_words, rest_words, what_is_left
from local.json_values import Json, objects_in

WEIGHT = re.compile(r"(\d+(?:[.,]\d+)?)\s*(?:kg|kilos?)", re.IGNORECASE)
UNITS = {
    "kg": "kg", "kilo": "kg", "lb": "lb", "libra": "lb", "pound": "lb", "cm": "cm", "in": "in", "inche": "in",
    "pulgada": "in", "m": "m", "metro": "m", "%": "%", "bpm": "bpm", "ppm": "bpm", "pulsacione": "bpm",
}  # fmt: skip
"""How people write units, without a final s."""

KINDS = {
    r"body ?fat|grasa": ("body_fat", "grasa corporal"),
    r"heart rate|pulse|pulso|pulsaciones": ("resting_heart_rate", "pulso en reposo"),
    r"\bheight\b|\btall\b|altura|estatura|\bmido\b": ("height", "altura"),
    r"\bwaist\b|cintura": ("waist", "cintura"),
    r"\bhips?\b|caderas?": ("hips", "cadera"),
    r"\bweigh|peso": ("body_weight", "peso"),
}
"""The measurements the demo model knows, and what they are called in Spanish."""

_UNIT = r"(kg|kilos?|lbs?|libras?|pounds?)"
SETS = re.compile(rf"(\d+(?:[.,]\d+)?)\s*{_UNIT}\s*(?:x|\u00d7|\*|for|por|a)\s*(\d+)", re.IGNORECASE)
ALIKE = re.compile(
    rf"(\d+)\s*(?:x|\u00d7|\*|sets of|series de)\s*(\d+)\s*(?:at|with|con|a|de|@)\s*(\d+(?:[.,]\d+)?)\s*{_UNIT}",
    re.IGNORECASE,
)
VALUE = re.compile(
    r"(\d+(?:[.,]\d+)?)\s*(kg|kilos?|lbs?|libras?|pounds?|cm|inches|in\b|pulgadas?|metros?|m\b|%|bpm|ppm|pulsaciones)",
    re.IGNORECASE,
)
LOGS = (
    r"^\W*(please |por favor,? )?(log|apunta|an[oó]ta|registra)\w*\b"
    r".*\d\s*\w*\s*(x|\u00d7|\*|for|por|a|sets|series)\s*\w"
)
"""Asks for a workout to be logged: one with sets, not a weight alone."""

MEASURES = (
    r"\b(my|body) ?weight\b|\bi weigh\b|\b(mi|de) peso\b(?! muerto)|\bpeso \d|\bpeso corporal|body ?fat|grasa corporal"
    r"|heart rate|pulso|\bwaist\b|cintura|\bhips\b|caderas|\bmy height\b|altura|\bmido\b"
)
"""Speaks of a measurement, to be recorded where a value is said, else to be read."""

YESTERDAY = re.compile(r"\b(yesterday|ayer)\b", re.IGNORECASE)


def log_workout(scene: Scene) -> Step:
    """Logs the sets of one exercise."""
    sets = _sets(scene.question)
    exercise = named_in(scene.question)
    if not sets or not exercise:
        return scene.say(
            "Tell me the exercise and its sets, such as: log bench press 80 kg x 5, 80 kg x 4.",
            "Dime el ejercicio y sus series, por ejemplo: apunta press banca 80 kg x 5, 80 kg x 4.",
        )
    call = scene.called("log_workout")
    if call is None:
        arguments: Json = {"exercises": [{"name": exercise, "sets": sets}]}
        if YESTERDAY.search(scene.question):
            return scene.say(
                "I log workouts of today only; a real model knows yesterday's date.",
                "Solo apunto entrenamientos de hoy; un modelo de verdad sabe qué día fue ayer.",
            )
        return Ask(scene.say("I will log it.", "Voy a apuntarlo."), "log_workout", arguments)
    lines = [_line(scene, line) for line in objects_in(call.data().get("exercises"))]
    if not lines and (left := what_is_left(scene, call)):
        return sentence(left)
    on = call.data().get("date")
    done = "; ".join(lines) + rest_words(scene, call)
    return failure(scene, call) or scene.say(f"Logged on {on}: {done}.", f"Apuntado el {on}: {done}.")


def record_measurement(scene: Scene) -> Step:
    """Records a value of the body."""
    said = VALUE.search(scene.question)
    if not said:
        return read_measurements(scene)
    call = scene.called("record_measurement")
    if call is None:
        unit = UNITS[said[2].lower().rstrip("s")]
        arguments = {"kind": kind_in(scene.question), "value": number(said[1]), "unit": unit}
        return Ask(scene.say("I will record it.", "Voy a apuntarlo."), "record_measurement", arguments)
    data = call.data()
    if "value" not in data and (left := what_is_left(scene, call)):
        return sentence(left)
    before = ""
    if "previous" in data:
        was = f"{figure(data['previous'], scene)} {data.get('unit')} ({data.get('previous_date')})"
        before = scene.say(f"; before it was {was}", f"; antes era {was}")
    value = f"{_kind(scene, data)} {figure(data.get('value'), scene)} {data.get('unit')}{before}"
    return failure(scene, call) or scene.say(f"Recorded: {value}.", f"Apuntado: {value}.")


def read_measurements(scene: Scene) -> Step:
    """Reads the last value of one kind, or of all, and how it has changed."""
    call = scene.called("read_measurements")
    if call is None:
        kind = kind_in(scene.question)
        words = scene.say("I will look at your measurements.", "Voy a mirar tus medidas.")
        return Ask(words, "read_measurements", {"kind": kind} if kind else {})
    lines = [_measured(scene, line) for line in objects_in(call.data().get("measurements"))]
    none = scene.say("There is no such measurement on record yet.", "Aún no hay ninguna medida así registrada.")
    return _without(lines, scene, call, none) or sentence("; ".join(lines) + rest_words(scene, call))


def save_goal(scene: Scene) -> Step:
    """Saves a goal for one exercise."""
    weight = WEIGHT.search(scene.question)
    if not weight:
        return scene.say(
            "Which weight? For instance: save a goal of 100 kg on bench press.",
            "¿Qué peso? Por ejemplo: guarda un objetivo de 100 kg en press banca.",
        )
    call = scene.called("save_goal")
    if call is None:
        arguments = {"exercise": exercise_in(scene.question), "target_weight_kg": number(weight[1])}
        return Ask(scene.say("I will save it.", "Voy a guardarlo."), "save_goal", arguments)
    if not call.data().keys() >= {"exercise", "target_weight_kg"} and (left := what_is_left(scene, call)):
        return sentence(left)
    goal = goal_words(call.data(), scene)
    return failure(scene, call) or scene.say(f"Saved: {goal}.", f"Guardado: {goal}.")


def read_goals(scene: Scene) -> Step:
    """Reads the goals."""
    call = scene.called("read_goals")
    if call is None:
        return Ask(scene.say("I will look at your goals.", "Voy a mirar tus objetivos."), "read_goals", {})
    goals = [goal_words(goal, scene) for goal in objects_in(call.data().get("goals"))]
    none = scene.say("You have no goals saved yet.", "Aún no tienes objetivos guardados.")
    heading = scene.say("Your goals: ", "Tus objetivos: ")
    return _without(goals, scene, call, none) or f"{heading}{'; '.join(goals)}{rest_words(scene, call)}."


def _without(found: list[str], scene: Scene, call: Call, none: str) -> str | None:
    """Says why there is nothing to tell: the tool failed, all was cut, or there is none. None where something is."""
    if failed := failure(scene, call):
        return failed
    if found:
        return None
    left = what_is_left(scene, call)
    return sentence(left) if left else none


def kind_in(text: str) -> str:
    """Returns the kind of measurement a text names; empty where it names none."""
    return next((kind for pattern, (kind, _) in KINDS.items() if re.search(pattern, text, re.IGNORECASE)), "")


def _sets(text: str) -> list[Json]:
    """Reads `80 kg x 5, 80 kg x 4` or `3 x 5 at 80 kg`."""
    if alike := ALIKE.search(text):
        return [_set(alike[3], alike[4], alike[2])] * min(int(alike[1]), 20)
    return [_set(*found.groups()) for found in SETS.finditer(text)]


def _set(weight: str, unit: str, repetitions: str) -> Json:
    field = f"weight_{UNITS[unit.lower().rstrip('s')]}"
    return {field: number(weight), "repetitions": int(repetitions)}


def _line(scene: Scene, line: Json) -> str:
    sets = str(line.get("sets", "?"))
    most = line.get("estimated_1rm_kg")
    done = f"{line.get('exercise')} {sets.replace('.', ',') if scene.spanish else sets}"
    if most is None:
        return done
    best = scene.say(", a new best", ", un nuevo récord") if line.get("new_best") else ""
    estimate = f"{figure(most, scene)} kg"
    return done + scene.say(
        f" (estimated one-rep max {estimate}{best})", f" (repetición máxima estimada {estimate}{best})"
    )


def _measured(scene: Scene, line: Json) -> str:
    unit = line.get("unit")
    value = f"{_kind(scene, line)} {figure(line.get('value'), scene)} {unit} ({line.get('date')})"
    change = line.get("change")
    if change is None:
        return value
    sign = "+" if change > 0 else ""
    since = scene.say("since", "desde el")
    return f"{value}, {sign}{figure(change, scene)} {unit} {since} {line.get('change_from')}"


def _kind(scene: Scene, line: Json) -> str:
    kind = str(line.get("kind"))
    spanish = dict(KINDS.values())
    return scene.say(kind.replace("_", " "), spanish.get(kind, kind))
