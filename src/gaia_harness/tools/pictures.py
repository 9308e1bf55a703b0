"""Prepares pictures for a model: re-encoded, scaled down, named in the text by hash."""

import hashlib
import io

from gaia_harness.errors import ToolError
from gaia_harness.models.messages import Image
from gaia_harness.tools.readers import Document

_LONG_SIDE = 1568  # models scale down what is larger
_OCR_SIDE = 4000  # a page at 300 dots an inch has 3500
_PIXELS = 100_000_000  # a file of a few kilobytes can claim to be gigabytes of picture
_BYTES = 3_500_000  # providers take 5 MB of base64


def read_picture(data: bytes, charset: str | None, *, for_ocr: bool = False) -> Document:  # noqa: ARG001
    """The picture, upright and without metadata, and a line of text that binds it."""
    from PIL import Image as Pillow
    from PIL import ImageOps

    side = _OCR_SIDE if for_ocr else _LONG_SIDE
    Pillow.MAX_IMAGE_PIXELS = None  # we look ourselves, before anything is decoded
    with Pillow.open(io.BytesIO(data), formats=("PNG", "JPEG", "GIF", "WEBP")) as file:
        width, height = file.size
        if width * height > _PIXELS:
            raise ToolError(f"The picture has {width} × {height} pixels, which is more than can be read here.")
        kind, frames = str(file.format), getattr(file, "n_frames", 1)
        file.draft("RGB", (side, side))  # lets JPEG decode at a smaller size
        picture = ImageOps.exif_transpose(file)
    if picture.mode.startswith("I"):  # 16 bits a pixel would be cut, not scaled
        picture = picture.convert("I").point(lambda value: value / 256).convert("L")
    picture = picture.convert("RGBA" if "A" in picture.getbands() or "transparency" in picture.info else "RGB")
    picture.thumbnail((side, side))
    media_type, encoded = "image/png", _encode(picture, "PNG")
    if kind == "JPEG" or len(encoded) > _BYTES:
        media_type, encoded = "image/jpeg", _encode(picture.convert("RGB"), "JPEG")
    digest = hashlib.sha256(encoded).hexdigest()
    scaled = "" if picture.size in ((width, height), (height, width)) else f", scaled down from {width} × {height}"
    moving = f", the first of {frames} frames" if frames > 1 else ""
    line = f"[image: {media_type}, {picture.width} × {picture.height} pixels{scaled}{moving}, sha256 {digest}]"
    return Document(text=line, images=(Image(media_type, encoded),))


def _encode(picture: object, format: str) -> bytes:
    out = io.BytesIO()
    picture.save(out, format=format, **({"quality": 90} if format == "JPEG" else {}))  # type: ignore[attr-defined]
    return out.getvalue()
