"""The data set that several test modules share."""
import pytest
from random_records import write_games

from mugo.data.preprocess import preprocess


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """Twelve games of 50 random moves on 9x9."""
    folder = tmp_path_factory.mktemp("data")
    write_games(folder / "sgf", range(12), plies=50)
    return preprocess([str(folder / "sgf")], folder / "set", jobs=1, validation=0.2, test=0.2)
