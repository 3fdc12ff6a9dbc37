import pandas as pd

stations = pd.read_csv("/data/rail/paris/metro_stations.csv", sep=";", encoding="cp1252")
stations["passengers"] = pd.to_numeric(stations["passengers"].str.replace(",", ""))
on_line = stations["lines"].str.split(", ").map(lambda lines: "14" in lines)
served = stations[on_line & stations["passengers"].notna()]
busiest = served.loc[served["passengers"].idxmax(), "name"]
print(f"{served['passengers'].sum():.0f}; {busiest}")
