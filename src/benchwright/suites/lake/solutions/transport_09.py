import pandas as pd

crashes = pd.read_excel("/data/aviation/incidents/fatal_crashes.xlsx", sheet_name="crashes")
yearly = pd.read_csv("/data/aviation/incidents/aviation_safety_yearly.tsv", sep="\t").set_index("year")
year = pd.to_datetime(crashes["date"], format="%d %b %Y").dt.year
deaths = crashes.groupby(year)["Fatalities"].sum()
ratio = (deaths / yearly["airliner_fatalities"]).loc[1993:2015].dropna()
print(f"{ratio.idxmax()}; {ratio.max():.3f}")
