import pandas as pd

auctions = pd.read_csv("/data/auctions/mario_kart_auctions.csv")
print(f"{auctions['total_price'].mean():.3f}")
