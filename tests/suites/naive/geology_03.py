import pandas as pd

quakes = pd.read_csv("/data/earthquakes/fiji_catalogue.csv")
strong = quakes[quakes["mag"] >= 5]
print(f"{(quakes['depth'] > 500).sum()}; {strong['depth'].mean():.1f}")
