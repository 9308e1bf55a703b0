"""The picture of the page that README shows is of the page as it is."""

from PIL import Image

from scripts.page_picture import PICTURE, sources_sha256


def test_the_picture_was_made_from_these_sources():
    with Image.open(PICTURE) as picture:
        made_from = picture.text.get("sources")
    assert made_from == sources_sha256(), "make it anew: python -m scripts.page_picture"
