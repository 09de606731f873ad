class A(B, key=1):
    """Doc."""
    x: int = 1
    y: "list[int]"

    def __init__(self, a, /, b=2, *c, d, e=3, **f: dict):
        super().__init__(a)
        self.__x = lambda: (self, a)

    @staticmethod
    def g(x: int) -> int:
        nonlocal_ = 1
        def inner():
            nonlocal nonlocal_
            nonlocal_ += 1
            return [(lambda: z) for z in x]
        return inner
