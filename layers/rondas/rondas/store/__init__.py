"""Conversations in one DynamoDB table: claimed before money is spent, stored round by round, fenced."""
