"""What is set right in a library at the moment the program imports it."""

import sys
from importlib.machinery import BuiltinImporter, FrozenImporter


class Hooks:
    """A finder that lets the others find a module and calls an action once it has run."""

    def __init__(self):
        self.actions = {}

    def install(self):
        sys.meta_path.insert(0, self)

    def add(self, name, action):
        """Call action(module) when the module is imported, now if it is there already."""
        self.actions[name] = action
        module = sys.modules.get(name)
        if module is not None:
            self._run(name, module)

    def _run(self, name, module):
        try:
            self.actions[name](module)
        except Exception:  # a library that is shaped differently stays as it is
            return

    def find_spec(self, name, path=None, target=None):
        if name not in self.actions:
            return None
        spec = None
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None)
            if finder is not self and find is not None:
                spec = find(name, path, target)
                if spec is not None:
                    break
        if spec is None or spec.loader in (None, BuiltinImporter, FrozenImporter):
            return spec
        execute = getattr(spec.loader, "exec_module", None)
        if execute is None:
            return spec

        def exec_module(module):
            try:
                del spec.loader.exec_module
            except AttributeError:
                pass
            execute(module)
            self._run(name, module)

        try:
            spec.loader.exec_module = exec_module
        except AttributeError:  # a loader without a place for it
            return spec
        return spec


class Tools:
    """A finder of the module "tools": after the program's own modules, and before them once tools are offered."""

    def __init__(self, path):
        self.path = path
        self.offered = False

    def install(self):
        sys.meta_path.append(self)

    def offer(self, offered):
        """Take the place that an offer, or its end, gives the module."""
        self.offered = offered
        sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not self]
        sys.meta_path.insert(0 if offered else len(sys.meta_path), self)
        module = sys.modules.get("tools")
        if module is None:
            return
        if getattr(module, "__file__", None) == self.path:
            module._forget()
        elif offered:  # the program's own, imported before there was another
            del sys.modules["tools"]

    def find_spec(self, name, path=None, target=None):
        if name != "tools" or path is not None:
            return None
        from importlib.machinery import PathFinder
        from importlib.util import spec_from_file_location

        if self.offered:
            other = PathFinder.find_spec(name)
            if other is not None and other.origin not in (None, self.path):
                import warnings

                text = f"'tools' is the module of this session's tools; {other.origin} is hidden by it: give that file another name"
                warnings.warn(text, RuntimeWarning, stacklevel=2)
        return spec_from_file_location(name, self.path)


class Own:
    """A finder of a module of the kernel's, after the program's own modules."""

    def __init__(self, name, path):
        self.name, self.path = name, path
        self.module = None

    def install(self):
        sys.meta_path.append(self)

    def find_spec(self, name, path=None, target=None):
        if name != self.name or path is not None:
            return None
        from importlib.util import spec_from_file_location

        return spec_from_file_location(name, self.path)

    def load(self):
        """Return the module for the kernel's own use, whatever the program has under its name."""
        if self.module is None:
            from importlib.util import module_from_spec

            spec = self.find_spec(self.name)
            self.module = module_from_spec(spec)
            spec.loader.exec_module(self.module)
        return self.module


class Skills(Own):
    """A finder of the module "skills", before the program's own modules, in a session that was given skills."""

    FOLDER = "/home/user/.skills"

    def install(self):
        sys.meta_path.insert(0, self)

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        from os import environ
        from os.path import isdir

        return super().find_spec(name, path, target) if isdir(environ.get("PRAXIS_SKILLS") or self.FOLDER) else None


class Width:
    """The width that values are printed for: the host's terminal, or the one of the start.

    What the program chose itself stays.
    """

    def __init__(self, show, columns):
        self.show = show
        self.usual = self.columns = show.columns = columns
        self.variable = None  # what COLUMNS was set to

    def set(self, columns):
        """Take the width of a cell; 0 is that of the start."""
        before, variable = self.columns, self.variable
        self.columns = self.show.columns = columns or self.usual
        self.variable = str(columns) if columns else None
        try:
            if variable != self.variable:
                self._environ(variable)
            if self.columns == before:
                return
            numpy, pandas = sys.modules.get("numpy"), sys.modules.get("pandas")
            if numpy is not None and numpy.get_printoptions()["linewidth"] == before:
                self.numpy_width(numpy)
            if pandas is not None and pandas.get_option("display.width") == before:
                pandas.set_option("display.width", self.columns)
        except Exception:  # half imported, or of another shape
            return

    def _environ(self, before):
        from os import environ

        if environ.get("COLUMNS") != before:
            return
        if self.variable is None:
            del environ["COLUMNS"]
        else:
            environ["COLUMNS"] = self.variable

    def numpy_width(self, module):
        module.set_printoptions(linewidth=self.columns)

    def pandas_width(self, module):
        module.set_option("display.width", self.columns)
        module.set_option("display.max_columns", 50)


def fork_by_default(context):
    """Make 'fork' the start method of multiprocessing, since no other can see what cells define."""
    import warnings

    base = context.process.BaseProcess
    context._default_context._default_context = context._concrete_contexts["fork"]

    def popen_instead_of(method):
        def popen(process):
            from multiprocessing.popen_fork import Popen

            warnings.warn(
                f"multiprocessing: the start method {method!r} cannot see what cells define; 'fork' is used",
                RuntimeWarning,
                stacklevel=4,
            )
            return Popen(process)

        return popen

    for cls in (context.SpawnProcess, context.ForkServerProcess):
        cls._Popen = staticmethod(popen_instead_of(cls._start_method))
        cls._after_fork = staticmethod(base._after_fork)


def show_instead_of_warning(show):
    """Return the action that makes plt.show() and figure.show() display at that moment."""

    def action(pyplot):
        def plt_show(*_, **__):
            """Display every open figure and close it."""
            show.figures()

        def figure_show(self, warn=True):
            """Display this figure."""
            show.send(show.bundle(self))

        from functools import wraps

        kind = sys.modules["matplotlib.figure"].Figure
        original = kind.savefig

        @wraps(original)
        def savefig(self, *args, **kwargs):
            result = original(self, *args, **kwargs)
            show.saved_as(self, args[0] if args else kwargs.get("fname"))
            return result

        pyplot.show = plt_show
        kind.show = figure_show
        kind.savefig = savefig

    return action
