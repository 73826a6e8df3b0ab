"""What must not be born in a snapshot (SnapStart): each copy of the process that comes out of one starts it afresh.

Nothing else has to be undone, and it should stay so: at start nobody connects, resolves a name, fetches a key or makes
an id. Clients hold TLS contexts and no connections; ids come from the operating system.
"""

import random

from aws_lambda_powertools.utilities import parameters
from snapshot_restore_py import register_after_restore  # pyright: ignore[reportMissingTypeStubs]


def keep_out_of_snapshots() -> None:
    """Has Lambda call `start_afresh` in each copy, before its first request."""
    register_after_restore(start_afresh)


def start_afresh() -> None:
    """Makes a copy differ from the others: waits of its own, keys as they are now."""
    random.seed()  # or all copies would wait for the same moments after a conflict, and meet again
    parameters.clear_caches()  # a key may have been rotated since the snapshot, which lives for days
