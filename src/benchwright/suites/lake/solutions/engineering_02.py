import pandas as pd

machines = pd.read_csv("/data/computers/cpu_performance_1987.tsv", sep="\t")
print(machines["published_performance"].max())
