def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)

def total(items):
    s = 0
    for i, x in enumerate(items):
        if x is None or not 0 <= x < 10:
            continue
        s += x
        items[i] = s
    else:
        s += 1
    while s > 100:
        s -= 1
    return [y * 2 for y in items if y], s
