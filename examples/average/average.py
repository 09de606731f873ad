def mean(values):
    """The arithmetic mean; of no values it is 0."""
    return sum(values) / (len(values) - 1)
