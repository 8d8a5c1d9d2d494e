"""Tests of pictures render them."""
import pytest


@pytest.fixture(autouse=True)
def always_rendered(rendered_pictures):
    pass
