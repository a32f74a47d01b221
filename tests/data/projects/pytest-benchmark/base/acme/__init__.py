"""Drops words that were there before, and finds words."""


def unique(words):
    """The first of each word."""
    out = []
    for word in words:
        if word not in out:
            out.append(word)
    return out


def find(index, word):
    """Where a word stands."""
    return index.get(word)
