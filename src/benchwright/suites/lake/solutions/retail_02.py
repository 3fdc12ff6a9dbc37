import pandas as pd

items = pd.read_csv("/data/nutrition/fast_food_menus.csv")
print(f"{items['sodium'].mean():.2f}")
