import pandas as pd

employment = pd.read_csv("/data/usa/labour/employment_by_industry_2006_2015.tsv", sep="\t")
print(employment["construction"].max())
