"""Revenue of every month of 2025, as a table."""

import pandas as pd

sales = pd.read_csv("/data/sales/2025.csv").merge(pd.read_csv("/data/shop/products.csv"), on="product_id")
sales["revenue"] = sales["pieces"] * sales["price_eur"]
monthly = sales.groupby("month", as_index=False)["revenue"].sum().round(2)
monthly.to_csv("monthly.csv", index=False)
