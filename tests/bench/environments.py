"""The environments that peers run in, each apart from the others and from the tests'; and Rondas as its layers hold it.

All of it lies below one folder. Packages come from pinned requirements, those of Rondas from its layer's own file. All
bytecode is compiled beforehand and not checked against its source, as `make build` does it for the layers.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".rondas" / "bench"
REQUIREMENTS = Path(__file__).parent / "peers" / "requirements"
LAYER = ROOT / "layers" / "dependencies" / "requirements.txt"
MINUTES = 15

_CODE = {"chat": ROOT / "functions" / "chat", "conversations": ROOT / "functions" / "conversations"}


class Environments:
    """What is needed to run peers, below a folder.

    Args:
        folder: where all of it lies.
        python: the interpreter of all peers, in place of environments of their own.
    """

    def __init__(self, folder: Path = FOLDER, python: Path | None = None) -> None:
        self._folder = folder
        self._python = python

    def python(self, name: str) -> Path:
        """Returns the interpreter of an environment."""
        return self._python or self._folder / "environments" / name / "bin" / "python"

    def path(self, code: str) -> str:
        """Returns the module path of a peer: the adapters, and the code of Rondas where one is named."""
        own = [self._folder / "code" / code, self._folder / "code" / "layer"] if code else []
        return os.pathsep.join(map(str, [*own, ROOT / "tests"]))

    def make(self, names: Iterable[str]) -> None:
        """Makes the environments that are missing or whose requirements have changed, and lays the code out anew.

        Raises:
            CalledProcessError: packages cannot be had; the message is on stderr.
        """
        for name in names:
            home = self._folder / "environments" / name
            requirements = _requirements(name)
            made_from = home / "requirements.txt"
            if not made_from.exists() or made_from.read_bytes() != requirements.read_bytes():
                self._install(home, requirements)
                shutil.copyfile(requirements, made_from)
        self.lay_out()
        _compile(self._folder / "code")

    def lay_out(self) -> None:
        """Copies the code of Rondas: the layer, the functions, and the chat function with the bench's app in it."""
        code = self._folder / "code"
        shutil.rmtree(code, ignore_errors=True)
        _copy(ROOT / "layers" / "rondas" / "rondas", code / "layer" / "rondas")
        for name, function in _CODE.items():
            _copy(function, code / name)
        _copy(_CODE["chat"], code / "lookup")
        shutil.rmtree(code / "lookup" / "coach")
        _copy(Path(__file__).parent / "assistant", code / "lookup" / "coach")

    def versions(self, name: str, packages: Iterable[str]) -> dict[str, str]:
        """Returns the versions of the packages that an environment has of these."""
        lines = _requirements(name).read_text("utf-8").splitlines()
        pinned = dict(line.split(maxsplit=1)[0].split("==") for line in lines if "==" in line)
        return {package: pinned[package] for package in packages if package in pinned}

    @staticmethod
    def _install(home: Path, requirements: Path) -> None:
        uv = os.environ.get("UV", "uv")
        _run([uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(home)])
        install = [uv, "pip", "install", "--quiet", "--no-deps", "--python", str(home / "bin" / "python")]
        _run([*install, "--requirement", str(requirements)])
        _compile(home)


def _requirements(name: str) -> Path:
    return LAYER if name == "rondas" else REQUIREMENTS / f"{name}.txt"


def _copy(source: Path, target: Path) -> None:
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))


def _compile(folder: Path) -> None:
    # Some packages bring files that are meant for another Python: what cannot be compiled is not imported either.
    command = [sys.executable, "-m", "compileall", "-q", "-j", "0", "--invalidation-mode", "unchecked-hash"]
    subprocess.run([*command, str(folder)], check=False, stdout=subprocess.DEVNULL, timeout=60 * MINUTES)


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, timeout=60 * MINUTES, stdout=sys.stderr)
