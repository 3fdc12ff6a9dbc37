"""Whether two pictures are the same in grey, pixel by pixel; reached only by outputs that bear their gold's name."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def same_picture(output: Path, gold: Path, exact_size: bool) -> bool:
    """Another size is scaled to the gold's, unless `exact_size`. Raises what Pillow raises on what is no picture."""
    import numpy as np
    from PIL import Image

    ours, golds = (np.asarray(Image.open(path).convert("L")) for path in (output, gold))
    if exact_size:
        return ours.shape == golds.shape and np.allclose(ours, golds, atol=1e-2)
    return np.allclose(_scaled(ours, golds.shape), golds, atol=1e-2)


def _scaled(picture: Any, shape: tuple[int, ...]) -> Any:
    """Bilinear, pixels at the middles of their cells, edges continued, rounded."""
    import numpy as np

    if picture.shape == shape:
        return picture
    found = picture.astype(np.float64)
    for axis, size in enumerate(shape):
        places = (np.arange(size) + 0.5) * found.shape[axis] / size - 0.5
        low = np.clip(np.floor(places).astype(int), 0, found.shape[axis] - 1)
        high = np.clip(low + 1, 0, found.shape[axis] - 1)
        part = np.clip(places - low, 0.0, 1.0).reshape([-1 if place == axis else 1 for place in range(2)])
        found = np.take(found, low, axis) * (1 - part) + np.take(found, high, axis) * part
    return np.rint(found).astype(np.uint8)
