"""The tool that estimates a one-rep max from one set."""

from pydantic import BaseModel, Field

from coach.one_rep_max import FORMULAS, MAX_REPETITIONS, MIN_REPETITIONS, Formula
from rondas.tools import Arguments, tool


class EstimateArguments(Arguments):
    """One set of an exercise."""

    weight_kg: float = Field(gt=0, le=1000, allow_inf_nan=False, description="Weight lifted, in kilograms.")
    repetitions: int = Field(
        ge=MIN_REPETITIONS,
        le=MAX_REPETITIONS,
        description="Repetitions done with that weight, 1 to 12; beyond 12 the formulas do not hold.",
    )
    formula: Formula = Field("epley", description="Which formula to use; epley is what the training history uses.")


class Estimate(BaseModel):
    """The estimate, in kilograms."""

    one_rep_max_kg: float
    formula: Formula


@tool
def estimate_one_rep_max(arguments: EstimateArguments) -> Estimate:
    """Estimates the one-rep max (1RM), the most a person could lift once, from one set of 1 to 12 repetitions.

    Use it when the person gives a weight and repetitions. For their own progress over time use training_history, which
    already holds estimates. It is an estimate: say so, and name the formula.
    """
    estimate = FORMULAS[arguments.formula](arguments.weight_kg, arguments.repetitions)
    return Estimate(one_rep_max_kg=round(estimate, 1), formula=arguments.formula)
