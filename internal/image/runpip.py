"""Runs pip with the person's index settings and with none of their other pip settings.

usage: runpip.py PIP_FOLDER WHEELS MARKERS ARGUMENT...

WHEELS is a folder of wheels that need not be downloaded, or empty. MARKERS is what
markers of requirements find of the interpreter that the packages are for, as JSON, or
empty where that is this one.

What a configuration may add beyond the index (a target, a user install,
constraints, binaries forbidden) would change what an image holds.
"""

import hashlib
import json
import os
import re
import shutil
import sys

DIGEST = re.compile("[0-9a-f]{64}")

KEEP = {
    "cert",
    "client-cert",
    "default-timeout",
    "extra-index-url",
    "find-links",
    "index-url",
    "no-index",
    "proxy",
    "retries",
    "timeout",
    "trusted-host",
    "uploaded-prior-to",
}


def reuse(wheels):
    """Takes wheels from a folder where they are called by their SHA-256, instead of
    downloading them: those whose digest the index names. What pip chooses stays the
    same, and it compares each with that digest as it does after a download."""
    from pip._internal.network.download import Downloader

    download = Downloader.__call__

    def copy_or_download(self, link, location):
        name = link.hash if link.hash_name == "sha256" else None
        path = os.path.join(wheels, name) if name and DIGEST.fullmatch(name) else None
        if path is None or not os.path.isfile(path) or digest(path) != name:
            return download(self, link, location)
        target = os.path.join(location, link.filename)
        shutil.copyfile(path, target)
        return target, "application/octet-stream"

    Downloader.__call__ = copy_or_download


def stand_in(markers):
    """Lets the markers of requirements find another interpreter than this one. What else
    depends on that, such as which wheels it takes, pip has options for."""
    from pip._vendor.packaging import markers as module

    default = module.default_environment
    module.default_environment = lambda: {**default(), **markers}


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def main():
    sys.path.insert(0, sys.argv[1])
    from pip._internal.configuration import Configuration
    from pip._internal.exceptions import ConfigurationError

    found = {"global": {}, "install": {}, "download": {}, ":env:": {}}
    configuration = Configuration(isolated=False)
    try:
        configuration.load()
    except ConfigurationError as error:
        # The whole message would show lines of the file, which may hold passwords.
        inner = getattr(error, "error", None)
        name = getattr(error, "fname", None) or getattr(inner, "source", None) or "file"
        sys.exit("ERROR: pip's configuration cannot be read: %s" % name)
    for _, values in configuration.items():
        for key, value in values.items():
            section, _, name = key.partition(".")
            if section in found and name in KEEP and value:
                found[section][name] = value
    for name in list(os.environ):
        if name.startswith("PIP_"):
            del os.environ[name]
    for section in found.values():
        for name, value in section.items():
            os.environ["PIP_" + name.replace("-", "_").upper()] = value
    os.environ["PIP_CONFIG_FILE"] = os.devnull
    # pip's own five retries keep somebody who is offline waiting for long.
    os.environ.setdefault("PIP_RETRIES", "2")

    if sys.argv[2]:
        reuse(sys.argv[2])
    if sys.argv[3]:
        stand_in(json.loads(sys.argv[3]))

    from pip._internal.cli.main import main as pip

    sys.exit(pip(sys.argv[4:]))


if __name__ == "__main__":
    main()
