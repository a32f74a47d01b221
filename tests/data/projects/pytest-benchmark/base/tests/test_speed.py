import pytest

from acme import find, unique


@pytest.mark.parametrize("n", [400, 800])
def test_unique(benchmark, n):
    words = [f"word{i}" for i in range(n)]
    assert len(benchmark(unique, words)) == n


def test_find(benchmark):
    index = {f"word{i}": i for i in range(20000)}
    assert benchmark(find, index, "word19999") == 19999


def test_without_the_fixture():
    assert unique([]) == []
