"""AWS's own DynamoDB Local: the engine for what an engine inside the process cannot show, many processes at once."""
