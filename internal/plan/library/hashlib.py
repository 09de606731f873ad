"""Digests of bytes."""

_sums = {"md5": _md5, "sha1": _sha1, "sha224": _sha224, "sha256": _sha256, "sha384": _sha384, "sha512": _sha512}


class _Hash:
    def __init__(self, name, data):
        self.name = name
        self._data = b""
        self.update(data)
        self.digest_size = len(self.digest())

    def update(self, data, /):
        if isinstance(data, str):
            raise TypeError("Strings must be encoded before hashing")
        if not isinstance(data, bytes):
            raise TypeError("object supporting the buffer API required")
        self._data += data

    def digest(self):
        return _sums[self.name](self._data)

    def hexdigest(self):
        return self.digest().hex()


def new(name, data=b"", **kwargs):
    if name.lower() not in _sums:
        raise ValueError(f"unsupported hash type {name}")
    return _Hash(name.lower(), data)


def _constructor(name):
    return lambda data=b"", **kwargs: _Hash(name, data)


md5, sha1, sha224 = _constructor("md5"), _constructor("sha1"), _constructor("sha224")
sha256, sha384, sha512 = _constructor("sha256"), _constructor("sha384"), _constructor("sha512")
