import sqlite3

import pandas as pd

with sqlite3.connect("file:/data/manufacturing/soldering.sqlite?mode=ro", uri=True) as connection:
    boards = pd.read_sql("SELECT * FROM board JOIN defects USING (board)", connection)
masks = boards.groupby("Mask")["skips"].mean()
solder = boards.groupby("Solder")["skips"].mean()
print(f"{masks.idxmax()}; {masks.max():.3f}; {solder['Thin'] / solder['Thick']:.3f}")
