import numpy as np
import pandas as pd

penguins = pd.read_csv("/data/animals/penguins_palmer_station.csv")
gentoo = penguins[penguins["species"] == "Gentoo"].dropna(subset=["flipper_length_mm", "body_mass_g"])
slope, intercept = np.polyfit(gentoo["flipper_length_mm"], gentoo["body_mass_g"], 1)
correlation = gentoo["flipper_length_mm"].corr(gentoo["body_mass_g"])
print(f"{slope:.2f}; {correlation:.3f}")
