"""The product that sold most in 2025, and its pieces."""

import pandas as pd

sales = pd.read_csv("/data/sales/2025.csv")
products = pd.read_csv("/data/shop/products.csv")
pieces = sales.groupby("product_id")["pieces"].sum()
best = pieces.idxmax()
name = products.set_index("product_id").loc[best, "name"]
print(f"{name}; {pieces[best]}")
