"""Warnings go nowhere: a plan has no second output."""


def warn(message, category=None, stacklevel=1, source=None, **more):
    if category is not None and not (isinstance(category, type) and issubclass(category, Warning)):
        raise TypeError(f"category must be a Warning subclass, not '{type(category).__name__}'")


def _filter(action):
    if action not in ('default', 'ignore', 'always', 'all', 'module', 'once'):
        raise ValueError(f'a plan cannot turn warnings into {action!r}')


def filterwarnings(action, message='', category=Warning, module='', lineno=0, append=False):
    _filter(action)


def simplefilter(action, category=Warning, lineno=0, append=False):
    _filter(action)


def resetwarnings():
    pass


class catch_warnings:
    def __init__(self, *, record=False, module=None, action=None, category=Warning, lineno=0, append=False):
        if record:
            raise ValueError('a plan cannot record warnings')
        if action is not None:
            _filter(action)

    def __enter__(self):
        return None

    def __exit__(self, *what):
        pass
