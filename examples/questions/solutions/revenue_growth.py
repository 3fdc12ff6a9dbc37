"""Growth of revenue from 2024 to 2025 at list prices."""

import pandas as pd

prices = pd.read_csv("/data/shop/products.csv").set_index("product_id")["price_eur"]


def revenue(year: int) -> float:
    """A year's revenue in EUR."""
    sales = pd.read_csv(f"/data/sales/{year}.csv")
    return float((sales["pieces"] * sales["product_id"].map(prices)).sum())


print(f"{revenue(2025) / revenue(2024) - 1:.1%}")
