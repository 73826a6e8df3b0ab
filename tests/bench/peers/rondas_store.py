"""Earlier messages in the tables of Rondas."""

from bench.peers.store import batch_write
from bench.peers.task import ANSWER

PERSON = "bench"


def seed(conversation: str, questions: list[str]) -> None:
    """Stores messages and answers as the product does, without the request keys, which it forgets after two days."""
    from rondas.history import Answer, UserMessage
    from rondas.settings import TableSettings
    from rondas.store.actions import iso
    from rondas.store.items import Keys, StoredEntry, entry_item, number
    from rondas.store.table import client

    keys = Keys(PERSON, conversation)
    entries = [entry for question in questions for entry in (UserMessage(question), Answer(ANSWER))]
    items = [entry_item(keys, StoredEntry(seq, entry, iso(0), "earlier")) for seq, entry in enumerate(entries)]
    head = {
        **keys.head(),
        "next_seq": number(len(entries)),
        "fence": number(1),
        "title": {"S": questions[0]},
        "created_at": {"S": iso(0)},
        "updated_at": {"S": iso(0)},
    }
    batch_write(client(), TableSettings.read().table_name, [*items, head])
