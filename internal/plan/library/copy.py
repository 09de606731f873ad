"""Copies of values."""


_atoms = (type(None), int, float, bool, str, bytes, range, type, type(Ellipsis), type(NotImplemented),
          type(len), type(lambda: 0), property)


def copy(x):
    cls = type(x)
    if cls in _atoms or isinstance(x, type):
        return x
    if cls in (list, dict, set):
        return x.copy()
    if cls in (tuple, frozenset):
        return x
    method = getattr(cls, "__copy__", None)
    if method is not None:
        return method(x)
    if not _is_instance(x):
        return x
    y = _shell(x)
    if isinstance(x, list):
        list.extend(y, x)
    elif isinstance(x, dict):
        dict.update(y, x)
    elif isinstance(x, set):
        set.update(y, x)
    for k, v in _attrs(x).items():
        _set(y, k, v)
    return y


def deepcopy(x, memo=None, _nil=[]):
    cls = type(x)
    if cls in _atoms:
        return x
    if memo is None:
        memo = {}
    key = id(x)
    y = memo.get(key, _nil)
    if y is not _nil:
        return y
    if cls is list:
        y = []
        memo[key] = y
        for v in x:
            y.append(deepcopy(v, memo))
    elif cls is dict:
        y = {}
        memo[key] = y
        for k, v in x.items():
            y[deepcopy(k, memo)] = deepcopy(v, memo)
    elif cls is tuple:
        items = [deepcopy(v, memo) for v in x]
        if key in memo:
            return memo[key]
        y = x
        for a, b in zip(items, x):
            if a is not b:
                y = tuple(items)
                break
    elif cls is set:
        y = {deepcopy(v, memo) for v in x}
    elif cls is frozenset:
        y = frozenset([deepcopy(v, memo) for v in x])
    elif isinstance(x, type):
        return x
    else:
        method = getattr(cls, "__deepcopy__", None)
        if method is not None:
            y = method(x, memo)
        elif not _is_instance(x):
            return x
        else:
            y = _copied(x, memo)
    memo[key] = y
    return y


def _copied(x, memo):
    if isinstance(x, tuple):
        y = tuple.__new__(type(x), [deepcopy(v, memo) for v in x])
    elif isinstance(x, frozenset):
        y = frozenset.__new__(type(x), [deepcopy(v, memo) for v in x])
    else:
        y = _shell(x)
    memo[id(x)] = y
    if isinstance(x, BaseException):
        y.args = deepcopy(x.args, memo)
    if isinstance(x, list):
        for v in list.__iter__(x):
            list.append(y, deepcopy(v, memo))
    elif isinstance(x, dict):
        for k, v in dict.items(x):
            dict.__setitem__(y, deepcopy(k, memo), deepcopy(v, memo))
    elif isinstance(x, set):
        for v in set.__iter__(x):
            set.add(y, deepcopy(v, memo))
    for k, v in _attrs(x).items():
        _set(y, k, deepcopy(v, memo))
    return y
