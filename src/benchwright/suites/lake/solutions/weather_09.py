import pandas as pd

sea = pd.read_csv("/data/oceans/el_nino_sea_surface.csv", sep="|")
december = sea["DEC"]
warm = sea[december > december.mean() + 1.5 * december.std(ddof=1)]
print(f"{december.mean():.3f}; {', '.join(str(year) for year in warm['YEAR'])}")
