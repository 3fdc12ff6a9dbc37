import pandas as pd

book = pd.read_excel("/data/canada/ontario_municipalities.xlsx", sheet_name=["municipalities", "populations"])
towns = book["municipalities"].merge(book["populations"], on=["name", "census_div"])
large = towns[(towns["status"] == "single-tier") & (towns["population_2001"] >= 10_000)].copy()
large["growth"] = (large["population_2021"] / large["population_2001"] - 1) * 100
top = large.loc[large["growth"].idxmax()]
print(f"{top['name']}; {top['growth']:.1f}%; {top['population_2021'] / top['land_area_km2']:.1f}")
