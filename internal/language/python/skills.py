"""The skills of this session: functions that earlier runs kept and that passed their tests.

from skills import NAME gives the function. Each is a file of FOLDER, which the host writes.
"""

import os
import sys

FOLDER = os.environ.get("PRAXIS_SKILLS") or "/home/user/.skills"
_trying = {}  # functions whose tests run, by name
_loaded = {}  # name → what identifies its file, and the function


def __getattr__(name):
    if name in _trying:
        return _trying[name]
    path = os.path.join(FOLDER, f"{name}.py")
    try:
        state = os.stat(path)
    except OSError:
        raise AttributeError(f"there is no skill {name}; there are: {', '.join(__dir__()) or 'none'}") from None
    mark = state.st_ino, state.st_mtime_ns, state.st_size
    if name not in _loaded or _loaded[name][0] != mark:
        _loaded[name] = mark, _load(name, path)
    return _loaded[name][1]


def __dir__():
    try:
        return sorted(file[:-3] for file in os.listdir(FOLDER) if file.endswith(".py"))
    except OSError:
        return []


def _load(name, path):
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location(f"skills.{name}", path)
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # so that what it defines can be pickled
    spec.loader.exec_module(module)
    return getattr(module, name)
