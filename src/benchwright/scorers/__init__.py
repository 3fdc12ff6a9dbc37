"""How an output is judged: sound scorers, and the published rules beside them."""
