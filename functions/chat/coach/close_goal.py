"""The tool that takes a goal off the list."""

from typing import Literal

from pydantic import BaseModel, Field

from coach import clock
from coach.goals import StoredGoal, goals_of, keep_goal, kept_goal, key_of
from coach.units import shown
from rondas.tools import Arguments, ToolContext, ToolMistake, tool


class CloseGoalArguments(Arguments):
    """Which goal, and how it ended."""

    exercise: str = Field(min_length=1, max_length=100, description="The exercise of the goal, as read_goals names it.")
    repetitions: int = Field(1, ge=1, le=100, description="The repetitions of the goal, as read_goals tells them.")
    outcome: Literal["achieved", "dropped"] = Field(description="Whether the person reached the goal or gave it up.")


class ClosedGoal(BaseModel):
    """A goal that holds no longer."""

    exercise: str
    target_weight_kg: float
    repetitions: int
    outcome: Literal["achieved", "dropped"]


@tool(effect=True)
def close_goal(arguments: CloseGoalArguments, context: ToolContext) -> ClosedGoal:
    """Closes a goal of the person's: it holds no longer, as reached or as given up.

    Use it only when the person says that they reached a goal or no longer want it. To change a goal use save_goal.
    Returns the goal that was closed.
    """
    closed = kept_goal(context.user, context.key)  # by this very call, before its run was resumed
    if closed is None:
        goal = _goal(arguments, goals_of(context.user))
        ended = goal.model_copy(update={"closed": arguments.outcome, "saved_at": clock.now()})
        closed = keep_goal(context.user, context.key, ended)
    return ClosedGoal(
        outcome=closed.closed or arguments.outcome, **closed.shown().model_dump(exclude={"by", "saved_on"})
    )


def _goal(arguments: CloseGoalArguments, goals: list[StoredGoal]) -> StoredGoal:
    wanted = key_of(arguments.exercise, arguments.repetitions)
    for goal in goals:
        if key_of(goal.exercise, goal.repetitions) == wanted:
            return goal
    holding = ", ".join(f"{goal.exercise} ({shown(goal.target_weight_kg)} kg x {goal.repetitions})" for goal in goals)
    asked = f"{arguments.exercise!r} x {arguments.repetitions}"
    raise ToolMistake(f"Nothing was closed: no goal holds for {asked}. The goals that hold: {holding or 'none'}.")
