"""Pictures from hostile files, drawn anew: what is shown holds pixels, and nothing else of the file."""

from __future__ import annotations

import base64
import io
import warnings

from benchwright.publishing.pages.exhibits import PictureShown
from benchwright.scorers.compare.opening import UnreadableOutput

_FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
_PIXELS = 40_000_000
_WIDEST = (1_200, 900)
_BYTES = 1 << 20
"""Of the picture as it is shown: what has more, such as noise, is drawn at half the size."""
_MAGIC = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"BM")


def is_picture(head: bytes) -> bool:
    """Whether a file begins as a picture does; SVG is a program, and none."""
    return head.startswith(_MAGIC) or (head[:4] == b"RIFF" and head[8:12] == b"WEBP")


def picture_shown(data: bytes) -> PictureShown:
    """The picture, its size at most 1200 x 900, as a PNG on white. UnreadableOutput says why there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            width, height, png = _drawn(data)
    except UnreadableOutput:
        raise
    except Exception as error:  # a broken picture fails in as many ways as there are formats
        raise UnreadableOutput(f"not a picture that can be read: {error}"[:200]) from error
    return PictureShown(png=base64.b64encode(png).decode(), width=width, height=height)


def _drawn(data: bytes) -> tuple[int, int, bytes]:
    """Width and height of the picture, and its pixels as a new PNG."""
    from PIL import Image

    image = Image.open(io.BytesIO(data), formats=_FORMATS)
    width, height = image.size
    if width * height > _PIXELS:
        raise UnreadableOutput(f"a picture of {width:,} x {height:,} pixels is too large to be shown")
    image.draft("RGB", _WIDEST)
    whole = image.convert("RGBA")
    whole.thumbnail(_WIDEST)
    drawn = Image.alpha_composite(Image.new("RGBA", whole.size, "white"), whole).convert("RGB")
    while True:
        packed = io.BytesIO()
        drawn.save(packed, "PNG")
        if packed.tell() <= _BYTES:
            return width, height, packed.getvalue()
        drawn.thumbnail((drawn.width // 2, drawn.height // 2))
