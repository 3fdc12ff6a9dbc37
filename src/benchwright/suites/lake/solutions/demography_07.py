import pandas as pd

counties = pd.read_csv("/data/usa/counties_midwest.csv")
names = pd.read_csv("/data/usa/state_list.txt", sep="|").set_index("stateabb")["statename"]
counties["poor"] = counties["poverty_percent"] * counties["total_population"]
states = counties.groupby("state").agg(
    counties=("county", "size"), people=("total_population", "sum"), poor=("poor", "sum")
)
share = states["poor"] / states["people"]
top = share.idxmax()
print(f"{names[top]}; {states.loc[top, 'counties']}; {states.loc[top, 'people']}; {share[top]:.2f}%")
