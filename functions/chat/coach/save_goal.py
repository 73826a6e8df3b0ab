"""The tool that saves a goal."""

from datetime import date
from typing import Self

from pydantic import Field, model_validator

from coach import clock
from coach.goals import Goal, StoredGoal, keep_goal, kept_goal
from coach.units import MAX_KG, MAX_LB, kilograms
from coach.words import words_of
from rondas.tools import Arguments, ToolContext, ToolMistake, tool


class SaveGoalArguments(Arguments):
    """A goal as the person put it."""

    exercise: str = Field(min_length=1, max_length=100, description="The exercise, named as in the training history.")
    target_weight_kg: float | None = Field(
        None,
        ge=0,
        le=MAX_KG,
        allow_inf_nan=False,
        description="Weight to reach, where it was said in kilograms; 0 for body weight alone.",
    )
    target_weight_lb: float | None = Field(
        None, ge=0, le=MAX_LB, allow_inf_nan=False, description="Weight to reach, where it was said in pounds."
    )
    repetitions: int = Field(1, ge=1, le=100, description="Repetitions to reach with that weight; 1 for a one-rep max.")
    by: date | None = Field(None, description="Day to reach it by, as YYYY-MM-DD; leave out if the person set none.")

    @model_validator(mode="after")
    def _one_weight(self) -> Self:
        kilograms(self.target_weight_kg, self.target_weight_lb, name="target_weight")
        return self


@tool(effect=True)
def save_goal(arguments: SaveGoalArguments, context: ToolContext) -> Goal:
    """Saves a training goal: a weight to lift in an exercise, for how many repetitions, by which day.

    Use it only when the person asks to set a goal and has said the weight. A later goal for the same exercise and
    repetitions takes the place of the earlier one. Returns the goal as it was saved, in kilograms.
    """
    if not words_of(arguments.exercise):
        raise ToolMistake(f"Not saved. exercise: {arguments.exercise!r} names no exercise; expected a word for it.")
    now = clock.now()
    goal = StoredGoal(
        exercise=arguments.exercise,
        target_weight_kg=kilograms(arguments.target_weight_kg, arguments.target_weight_lb),
        repetitions=arguments.repetitions,
        by=arguments.by,
        saved_on=now.date(),
        saved_at=now,
    )
    if goal.by is None or goal.by >= goal.saved_on:
        return keep_goal(context.user, context.key, goal).shown()
    # A resumed run comes here with the key of a goal it may have saved the day before: that one stands.
    saved = kept_goal(context.user, context.key)
    if saved is None:
        raise ToolMistake(f"Not saved. by: {goal.by} is in the past; expected {goal.saved_on} (today) or later.")
    return saved.shown()
