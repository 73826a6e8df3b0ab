"""What no worker has brought to an end, however often the queue delivered it: closed here, so that no app waits on."""

import logging
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from rondas.announce import NotAnnounced, announce_end
from rondas.handover import HandedOn
from rondas.settings import AllowanceSettings
from rondas.snapshot import keep_out_of_snapshots
from rondas.store.claim import InProgress
from rondas.store.closing import give_up
from rondas.store.items import Keys
from rondas.store.table import StoreUnavailable, Table, client
from rondas.wordless import wordless

logger = logging.getLogger("rondas.dead_letters")

settings = AllowanceSettings.read()
table = Table(settings.table_name, client())
keep_out_of_snapshots()


def handler(event: dict[str, Any], _context: LambdaContext) -> None:
    """What Lambda calls with a message of the dead-letter queue; whatever it raises, it is called again."""
    with wordless(InProgress, StoreUnavailable, NotAnnounced):
        for record in event["Records"]:
            _close(HandedOn.model_validate_json(record["body"]))


def _close(message: HandedOn) -> None:
    keys = Keys(message.person, message.conversation_id)
    answer = give_up(table, keys, message.message_id, settings.allowance())
    if answer is None:
        logger.info("a dead letter is not there any more")
    else:
        announce_end(message, answer.status)
