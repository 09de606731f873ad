def pick(xs, secret):
    n = 0
    if secret > 1:
        n = 1
    for x in xs:
        if x == secret:
            break
        n += x
    if n and secret:
        return [n]
    try:
        xs.append(n)
    except ValueError:
        n = sum(y for y in xs if y)
    return n
