"""Goals a person sets themselves, and the two tools that save and read them."""

from datetime import date, datetime

from pydantic import BaseModel, Field

from coach import clock, table
from coach.words import words_of
from rondas.tools import Arguments, ToolContext, ToolMistake, tool

GOALS_SHOWN = 20


class SaveGoalArguments(Arguments):
    """A goal as the person put it."""

    exercise: str = Field(min_length=1, max_length=100, description="The exercise, named as in the training history.")
    target_weight_kg: float = Field(
        ge=0, le=1000, allow_inf_nan=False, description="Weight to reach, in kilograms; 0 for body weight alone."
    )
    repetitions: int = Field(1, ge=1, le=100, description="Repetitions to reach with that weight; 1 for a one-rep max.")
    by: date | None = Field(None, description="Day to reach it by, as YYYY-MM-DD; leave out if the person set none.")


class ReadGoalsArguments(Arguments):
    """Nothing: the goals are the person's own."""


class Goal(BaseModel):
    """A saved goal."""

    exercise: str
    target_weight_kg: float
    repetitions: int
    by: date | None
    saved_on: date


class Goals(BaseModel):
    """The goals that hold, the last saved first; `left_out` counts those not shown."""

    goals: list[Goal]
    total: int
    left_out: int | None


class _StoredGoal(Goal):
    """A goal with the moment that tells which of two came later."""

    saved_at: datetime


@tool(effect=True)
def save_goal(arguments: SaveGoalArguments, context: ToolContext) -> Goal:
    """Saves a training goal: a weight to lift in an exercise, for how many repetitions, by which day.

    Use it only when the person asks to set a goal and has said the weight. A later goal for the same exercise and
    repetitions takes the place of the earlier one. Returns the goal as it was saved.
    """
    now = clock.now()
    key = f"G#{context.key}"
    goal = _StoredGoal(**arguments.model_dump(), saved_on=now.date(), saved_at=now)
    late = goal.by is not None and goal.by < goal.saved_on
    if not late and table.put_once(context.user, key, goal.model_dump_json()):
        return _shown(goal)
    # A resumed run comes here with the key of a goal it may have saved already, even the day before: that one stands.
    saved = table.get(context.user, key)
    if saved is None:
        raise ToolMistake(f"Not saved. by: {goal.by} is in the past; expected {goal.saved_on} (today) or later.")
    return _shown(_StoredGoal.model_validate_json(saved))


@tool
def read_goals(_arguments: ReadGoalsArguments, context: ToolContext) -> Goals:
    """Reads the person's saved goals, the last saved first.

    Use it when they ask about their goals, or how far they are from one; compare with training_history.
    """
    stored = [
        _StoredGoal.model_validate_json(body) for body in table.read(context.user, "G#", "G$")
    ]  # "$" is what comes after "#"
    newest_last = sorted(stored, key=lambda goal: goal.saved_at)
    holding = {(words_of(goal.exercise), goal.repetitions): goal for goal in newest_last}
    goals = sorted(holding.values(), key=lambda goal: goal.saved_at, reverse=True)
    return Goals(
        goals=[_shown(goal) for goal in goals[:GOALS_SHOWN]],
        total=len(goals),
        left_out=max(0, len(goals) - GOALS_SHOWN) or None,
    )


def _shown(goal: _StoredGoal) -> Goal:
    return Goal(**goal.model_dump(exclude={"saved_at"}))
