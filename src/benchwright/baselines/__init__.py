"""Programs that answer without a model: what any benchmark must not reward."""
