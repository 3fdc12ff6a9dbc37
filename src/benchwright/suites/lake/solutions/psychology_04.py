import pandas as pd

people = pd.read_csv("/data/personality/ten_item_inventory.tsv", sep="\t")
plausible = people[people["age"] <= 100]
young = people[people["age"].between(18, 30)]
print(f"{plausible['age'].mean():.2f}; {young['Extraversion'].corr(young['Openness']):.4f}")
