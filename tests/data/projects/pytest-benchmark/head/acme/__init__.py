"""Drops words that were there before, and finds words."""


def unique(words):
    """The first of each word."""
    return list(dict.fromkeys(words))


def find(index, word):
    """Where a word stands."""
    for other, place in index.items():
        if other == word:
            return place
    return None
