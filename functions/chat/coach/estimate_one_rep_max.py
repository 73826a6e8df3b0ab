"""The tool that estimates a one-rep max from one set."""

from typing import Self

from pydantic import BaseModel, Field, model_validator

from coach import one_rep_max
from coach.one_rep_max import FORMULAS, MAX_REPETITIONS, MIN_REPETITIONS, RELIABLE_REPETITIONS, SOURCES, Formula
from coach.units import MAX_KG, MAX_LB, POUND_KG, kilograms
from rondas.tools import Arguments, tool

RECOMMENDED: Formula = "epley"
"""The formula of the training history: whatever is compared with it must be computed alike."""

_TABLE = (1, 2, 3, 5, 8, 10, 12)


class EstimateArguments(Arguments):
    """One set of an exercise."""

    weight_kg: float | None = Field(
        None, gt=0, le=MAX_KG, allow_inf_nan=False, description="Weight lifted, where it was said in kilograms."
    )
    weight_lb: float | None = Field(
        None, gt=0, le=MAX_LB, allow_inf_nan=False, description="Weight lifted, where it was said in pounds."
    )
    repetitions: int = Field(
        ge=MIN_REPETITIONS,
        le=MAX_REPETITIONS,
        description="Repetitions done with that weight, 1 to 12; beyond 12 the formulas do not hold.",
    )

    @model_validator(mode="after")
    def _one_weight(self) -> Self:
        kilograms(self.weight_kg, self.weight_lb)
        return self


class FormulaEstimate(BaseModel):
    """What one formula says."""

    formula: Formula
    source: str
    one_rep_max: float


class Estimate(BaseModel):
    """The recommended estimate first, in kilograms; the rest in the unit of the question.

    `weights` are what can be lifted for so many repetitions by the recommended formula.
    """

    one_rep_max_kg: float
    formula: Formula
    unit: str
    estimates: list[FormulaEstimate]
    weights: dict[int, float]
    note: str | None


@tool
def estimate_one_rep_max(arguments: EstimateArguments) -> Estimate:
    """Estimates the one-rep max (1RM), the most a person could lift once, from one set of 1 to 12 repetitions.

    Use it when the person gives a weight and repetitions, or asks which weight to take for so many repetitions. For
    their own progress over time use training_history, which already holds estimates. Returns the estimate by the
    recommended formula, by each of three formulas, and the weights for other repetitions. It is an estimate: say so,
    and name the formula.
    """
    weight_kg = kilograms(arguments.weight_kg, arguments.weight_lb)
    unit_kg = POUND_KG if arguments.weight_kg is None else 1.0
    estimates: dict[Formula, float] = {
        name: formula(weight_kg, arguments.repetitions) for name, formula in FORMULAS.items()
    }
    best = estimates[RECOMMENDED]
    return Estimate(
        one_rep_max_kg=round(best, 1),
        formula=RECOMMENDED,
        unit="lb" if arguments.weight_kg is None else "kg",
        estimates=[
            FormulaEstimate(formula=name, source=SOURCES[name], one_rep_max=round(kg / unit_kg, 1))
            for name, kg in estimates.items()
        ],
        weights={times: round(one_rep_max.weight_for(best, times) / unit_kg, 1) for times in _TABLE},
        note=_note(arguments.repetitions),
    )


def _note(repetitions: int) -> str | None:
    if repetitions == 1:
        return "One repetition is no estimate: it is the one-rep max, if the set was a maximum."
    if repetitions > RELIABLE_REPETITIONS:
        return f"Beyond {RELIABLE_REPETITIONS} repetitions the formulas are unsure; a set of about 5 tells more."
    return None
