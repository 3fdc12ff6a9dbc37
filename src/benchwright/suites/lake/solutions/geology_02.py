import pandas as pd

eruptions = pd.read_csv("/data/volcanoes/old_faithful_eruptions.csv")
print(f"{eruptions['waiting'].mean():.3f}")
