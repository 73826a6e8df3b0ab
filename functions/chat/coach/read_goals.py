"""The tool that reads the goals, with how far the person is from each."""

from pydantic import BaseModel

from coach import clock
from coach.goals import Goal, GoalProgress, goals_of, progress
from coach.workouts import LOOK_BACK, read_workouts
from rondas.tools import Arguments, ToolContext, tool

GOALS_SHOWN = 20


class ReadGoalsArguments(Arguments):
    """Nothing: the goals are the person's own."""


class HoldingGoal(Goal):
    """A goal, with how far the person is from it; without that where they have not done the exercise for a year."""

    progress: GoalProgress | None


class Goals(BaseModel):
    """The goals that hold, the last saved first; `left_out` counts those not shown."""

    goals: list[HoldingGoal]
    total: int
    left_out: int | None


@tool
def read_goals(_arguments: ReadGoalsArguments, context: ToolContext) -> Goals:
    """Reads the person's goals that hold, the last saved first, with how far they are from each.

    Use it when they ask about their goals, or how far they are from one. Progress holds the best estimated 1RM (Epley)
    of the last 90 days, the 1RM that the goal comes to, and the day on which a set fulfilled it, if any.
    """
    goals = goals_of(context.user)
    today = clock.today()
    workouts = list(read_workouts(context.user, today - LOOK_BACK, clock.latest_day())) if goals else []
    return Goals(
        goals=[
            HoldingGoal(**goal.shown().model_dump(), progress=progress(goal, workouts, today))
            for goal in goals[:GOALS_SHOWN]
        ],
        total=len(goals),
        left_out=max(0, len(goals) - GOALS_SHOWN) or None,
    )
