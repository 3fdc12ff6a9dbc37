import pandas as pd

people = pd.read_csv("/data/personality/ten_item_inventory.tsv", sep="\t")
young = people[people["age"].between(18, 30)]
print(f"{people['age'].mean():.2f}; {young['Extraversion'].corr(young['Openness']):.4f}")
