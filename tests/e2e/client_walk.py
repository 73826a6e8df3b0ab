"""What an app does with a client that was generated from the document; run with that client on the path."""

# pyright: basic, reportMissingImports=false

import sys
from uuid import uuid4

from generated.api.default import delete_conversation, get_conversations, get_messages, post_message
from generated.client import AuthenticatedClient, Client
from generated.models import ConversationPage, GatewayMessage, MessageIn, MessagePage, Problem, Reply

address, token = sys.argv[1:]
client = AuthenticatedClient(base_url=address, token=token)

key = str(uuid4())
message = MessageIn(text="How much did I progress on bench press this month?")
reply = post_message.sync("generated-client", client=client, body=message, idempotency_key=key)
assert isinstance(reply, Reply), reply
assert reply.status.value == "answered"
assert reply.message_id == key

again = post_message.sync("generated-client", client=client, body=message, idempotency_key=key)
assert again == reply, "the same key has the same answer"

listed = get_conversations.sync(client=client, limit=1)
assert isinstance(listed, ConversationPage), listed
assert listed.conversations[0].id == "generated-client"

first = get_messages.sync("generated-client", client=client, limit=1)
assert isinstance(first, MessagePage), first
assert isinstance(first.next_, int)
rest = get_messages.sync("generated-client", client=client, after=first.next_)
assert isinstance(rest, MessagePage), rest
assert rest.messages[-1].text == reply.reply

assert delete_conversation.sync_detailed("generated-client", client=client).status_code == 204
gone = get_messages.sync("generated-client", client=client, accept_language="es")
assert isinstance(gone, Problem), gone
assert (gone.code.value, gone.detail) == ("not_found", "No tienes ninguna conversación así.")

wrong = post_message.sync("generated-client", client=client, body=MessageIn(text=" "))
assert isinstance(wrong, Problem), wrong
assert wrong.code.value == "invalid_request"

nobody = get_conversations.sync(client=Client(base_url=address))
assert isinstance(nobody, GatewayMessage), nobody
sys.stdout.write("done\n")
