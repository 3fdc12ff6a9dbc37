import pandas as pd

cars = pd.read_json("/data/graphics_and_tables/gt/gtcars.json")
prices = cars.groupby("ctry_origin")["msrp"].mean()
print(f"{prices.idxmax()}; {prices.max():.2f}")
