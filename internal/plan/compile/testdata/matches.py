def f(x):
    match x:
        case 1 | -2 as n if n > 0:
            return n
        case [a, *_, {"k": v}]:
            return a, v
        case Point(0, y=yy) | Line(yy):
            return yy
        case None:
            pass
        case str():
            return 'x' 'y'
    return g(*x) if x else (yield)
