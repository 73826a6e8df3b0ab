"""The local runner: the functions on a laptop, with the same events, tables and limits as in the cloud.

`run.py` invokes a function with a sample event, `chat.py` holds a conversation, `serve.py` is the HTTP API.
Never deployed.
"""
