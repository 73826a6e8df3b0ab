"""What one person may use: tokens in a day, and runs at the same time."""

import pytest

from rondas.store.allowance import Allowance, QuotaExceeded, TooManyRuns, Used

NOW = 1_800_000_000.0  # 08:00 UTC
MIDNIGHT = 1_800_057_600.0


@pytest.mark.parametrize("used", [100, 101])
def test_whoever_has_used_the_tokens_of_the_day_waits_for_the_next(used: int) -> None:
    with pytest.raises(QuotaExceeded) as refused:
        Allowance(daily_tokens=100).check_tokens(Used(tokens=used), NOW)
    assert NOW + refused.value.retry_after == MIDNIGHT


@pytest.mark.parametrize(("quota", "used"), [(100, 99), (100, 0), (0, 10**9)])
def test_whoever_has_tokens_left_or_no_quota_may_ask(quota: int, used: int) -> None:
    Allowance(daily_tokens=quota).check_tokens(Used(tokens=used), NOW)


def test_the_last_second_of_a_day_is_a_second() -> None:
    with pytest.raises(QuotaExceeded) as refused:
        Allowance(daily_tokens=1).check_tokens(Used(tokens=1), MIDNIGHT - 1)
    assert refused.value.retry_after == 1


def test_as_many_runs_as_are_not_alive_may_be_begun() -> None:
    # Given two runs of a person, one of which has died
    used = Used(begun=7, leases={"C#a": _in(10), "C#b": _in(-1)})
    # When a third is begun where three may be, then there is room for two
    assert Allowance(runs=3).runs_left(used, "C#c", NOW) == 2


def test_whoever_has_all_runs_waits_for_the_first_lease_to_end() -> None:
    used = Used(begun=7, leases={"C#a": _in(10), "C#b": _in(4)})
    with pytest.raises(TooManyRuns) as refused:
        Allowance(runs=2).runs_left(used, "C#c", NOW)
    assert refused.value.retry_after == 4


def test_a_run_that_is_taken_over_is_not_one_more() -> None:
    used = Used(begun=7, leases={"C#a": _in(10), "C#b": _in(4)})
    assert Allowance(runs=2).runs_left(used, "C#b", NOW) == 1


def _in(seconds: float) -> int:
    return int((NOW + seconds) * 1000)
