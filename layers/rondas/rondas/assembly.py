"""The one place where the objects are put together. Touches no network: clients connect when they are used."""

from collections.abc import Sequence

from rondas.agent import Agent
from rondas.handover import Nowhere
from rondas.keys import key_source
from rondas.prices import read_prices
from rondas.providers import connect, key_variable
from rondas.providers.failover import Failover
from rondas.queue import Queue
from rondas.settings import Settings
from rondas.snapshot import keep_out_of_snapshots
from rondas.store.conversations import Conversations
from rondas.store.table import Table, client
from rondas.telemetry import Telemetry
from rondas.toolbox import Toolbox
from rondas.tools import Tool
from rondas.tracing import Tracing
from rondas.watcher import Watchers


def assemble(settings: Settings, *, prompt: str, tools: Sequence[Tool], run_time: str = "RunTime") -> Agent:
    """Returns an agent for an app.

    Args:
        settings: its limits, its table, its models.
        prompt: the app's system prompt; the same text at every call, so that the provider can cache it.
        tools: the app's tools, in a fixed order for the same reason.
        run_time: the name of the metric of a run's time.

    Raises:
        SettingsError: a setting names something that does not exist, or a key is missing.
    """
    key = key_source(settings.api_keys_secret_arn)
    if not settings.api_keys_secret_arn:  # a key that is missing on a laptop is better known now than at a message
        for name in settings.model_names():
            key(key_variable(name))
    providers = {
        name: connect(name, key, prompt=prompt, tools=tools, max_output_tokens=settings.max_output_tokens)
        for name in settings.model_names()
    }
    keep_out_of_snapshots()
    telemetry = Telemetry(read_prices(settings.model_prices), run_time)
    watchers = Watchers(telemetry, Tracing())
    return Agent(
        model=Failover(providers, on_failure=telemetry.on_failure, on_mishap=watchers.on_mishap),
        toolbox=Toolbox(tools, max_chars=settings.tool_result_max_chars),
        conversations=Conversations(
            Table(settings.table_name, client(), watchers.on_store),
            settings.context_token_budget,
            on_mishap=watchers.on_mishap,
            allowance=settings.allowance(),
            on_refused=telemetry.on_refused,
        ),
        settings=settings,
        handover=Queue(settings.queue_url) if settings.queue_url else Nowhere(),
        watchers=watchers,
    )
