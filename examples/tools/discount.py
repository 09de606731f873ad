"""Prices of the shop."""


def offer(units: int, price: float, customer_since: int = 2026) -> dict[str, float]:
    """Computes what an order costs after its discounts.

    Ten units or more take 5 % off, fifty or more 12 %. Each full year as a
    customer takes another 1 % off, five at most.

    Args:
        units: How many are ordered.
        price: The price of one, in euros.
        customer_since: The year of the first order.

    Returns:
        The discount in percent, and the total in euros.
    """
    if units < 1:
        raise ValueError("an order has at least one unit")
    percent = 12 if units >= 50 else 5 if units >= 10 else 0
    percent += max(0, min(5, 2026 - customer_since))
    return {"discount": float(percent), "total": round(units * price * (100 - percent) / 100, 2)}
