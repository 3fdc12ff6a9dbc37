import pandas as pd

quakes = pd.read_csv("/data/earthquakes/fiji_catalogue.csv")
quakes["km"] = quakes["depth"].where(quakes["depth_unit"] == "km", quakes["depth"] * 1.609344)
strong = quakes[quakes["mag"] >= 5]
print(f"{(quakes['km'] > 500).sum()}; {strong['km'].mean():.1f}")
