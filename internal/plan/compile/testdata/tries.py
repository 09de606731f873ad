def f(path):
    for p in path:
        try:
            with p.open(1) as h, p:
                return h.read(*path, key=p, **h)
        except (ValueError, KeyError) as e:
            raise RuntimeError(f"{e!r:>{len(p)}} {p}") from e
        finally:
            p.close()
