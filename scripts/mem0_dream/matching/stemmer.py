"""Words cut to what their forms share."""

from __future__ import annotations

import re
from functools import lru_cache

from . import lexicon


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """A word without its endings, under one spelling and name. Rough, and good enough to find pairs."""
    word = lexicon.heads("aliases").get(word, word)
    if len(word) < 4:
        return word
    if "\u0400" <= word[0] <= "\u04ff":
        return _CYRILLIC.sub("", word)
    word = _BRITISH.sub(lambda found: found.group().replace("s", "z").replace("our", "or"), word)
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        base = word[: -len(ending)]
        if word.endswith(ending) and len(base) > 2 and _VOWEL.search(base):
            word = base[:-1] if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz" else base
            break
    else:
        if word.endswith("ally") and len(word) > 7:
            word = word[:-4]
        elif word.endswith("ly") and len(word) > 5:
            word = word[:-2]
    word = lexicon.heads("aliases").get(word, word)
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


_BRITISH = re.compile(r"(?<=..)(?:our(?=s|ed|ing|ite|$)|(?:is|ys)(?=e|ed|es|ing|ation$))")
_VOWEL = re.compile(r"[aeiouyäöüáéíóú]")
_CYRILLIC = re.compile(
    r"(?<=...)(?:иями|ями|ами|ией|иям|ием|иях|ыми|ими|его|ого|ему|ому|ешь|ишь|ете|ите|ает|яет|ают|яют|ующий|ющий|ся|сь"
    r"|ее|ие|ые|ое|ей|ий|ый|ой|ем|им|ым|ом|ах|ях|ую|юю|ая|яя|ует|уют|ют|ят|ит|ет|ал|ял|ил|ла|ло|ли|ть|[аяоеиыуюьй])$"
)
