"""The conversations function starts fast: it imports no model, no loop and nothing of the app."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FORBIDDEN = {"anthropic", "openai", "google", "httpx2", "coach"}
NOT_NEEDED = {"rondas.assembly", "rondas.agent", "rondas.providers", "rondas.keys", "rondas.telemetry"}


def test_it_imports_no_model_sdk_and_nothing_that_answers_messages() -> None:
    # Given the function as Lambda imports it
    script = "import sys, app; print(*sys.modules)"
    path = f"{ROOT / 'layers' / 'rondas'}:{ROOT / 'functions' / 'conversations'}"
    environment = {"PYTHONPATH": path, "TABLE_NAME": "conversations", "AWS_DEFAULT_REGION": "eu-west-1"}
    # When it is imported
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    # Then neither an SDK nor the part that answers is there
    imported = set(done.stdout.split())
    assert "rondas.store.reading" in imported
    assert {name.partition(".")[0] for name in imported} & FORBIDDEN == set()
    assert imported & NOT_NEEDED == set()
