import pandas as pd

book = pd.read_excel("/data/crime/gun_murders_2010.xlsx", sheet_name=["murders", "population"])
states = book["population"].merge(book["murders"], on="abb")
regions = states.groupby("region")[["total", "population"]].sum()
rate = regions["total"] / regions["population"] * 100_000
states["rate"] = states["total"] / states["population"]
print(f"{rate.idxmax()}; {rate.max():.3f}; {states.loc[states['rate'].idxmax(), 'state']}")
