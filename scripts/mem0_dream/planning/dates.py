"""Relative dates made absolute: "released yesterday" says the wrong day from the next day on.

Exact words only. What can be read in two ways, speaks of any day or is quoted stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache

from ..matching import lexicon
from ..memory import Memory, read_date

_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|「[^「」]*」|\bhttps?://\S+|<[^<>]*>")
_OTHER_DATE = (
    r"\d{4}-\d\d|\d{4}年|\d{1,2}月|\b\d{1,2}/\d{1,2}\b|\b\d{1,2}\.\d{1,2}\.(?:\d{4}|\d\d)?(?!\d)"
    r"|\b(?:\d{1,2}\.? (?:de )?(?:%s)|(?:%s)\.? \d{1,2})\b"
)
_AGAINST = re.compile(  # in front: it is compared with the day, or the phrase means more than the day
    r"(?i)(?:\b(?:on|from|to|than|vs|versus|until|till|since|before|after|for|of|as|like|relative|not|or|and|the|usa"
    r"|about|nearly|almost|around|over|within|during|by|la|de|del|para"
    r"|bis|seit|ab|von|vor|depuis|jusqu'à|desde|hasta)"
    r"|[-_/=.@#'’(\[{+])\s*$"
)
# Behind: a possessive, a compound, code, or a day that stands there already.
_ATTACHED = re.compile(r"['’](?!\s)|[-_/(\[]|\.\w|\s*\(\d|\s*[=+<>]|s\b")
_NEAR = 30  # characters that are looked at in front
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_WEEKDAY = re.compile(rf"(?i)\b(last|next|this|coming|ends on|ends|due on|due|due by) ({'|'.join(_WEEKDAYS)})\b")
_DEICTIC = re.compile(r"(?i)\bthis (?:sprint|iteration|cycle|milestone|release|freeze|week|phase)\b")
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10, "a": 1}
_UNITS = "day days week weeks tag tagen woche wochen jour jours semaine semaines día días semana semanas назад"
_WORD = re.compile(r"\w+")
_AGO = re.compile(
    rf"(?i)\b(?P<n>\d{{1,2}}|{'|'.join(_COUNTS)}) (?P<unit>days?|weeks?) ago\b"
    r"|\b(?:vor|il y a|hace) (?P<n2>\d{1,2}) (?P<unit2>Tag(?:en)?|Wochen?|jours?|semaines?|días?|semanas?)\b"
    r"|\b(?P<n3>\d{1,2}) (?P<unit3>день|дня|дней|недел[юиь]) назад\b"
)
_AHEAD = re.compile(
    r"(?i)\b(?:due|starts?|starting|begins?|ends?|ending|launch(?:es|ing)?|ships|shipping|goes live|deadline|moving)"
    rf" (?P<phrase>in (?P<n>\d{{1,2}}|{'|'.join(_COUNTS)}) (?P<unit>days?|weeks?))\b"
)
_SPOKEN = {  # scripts without spaces: the word opens a clause that tells of something done or to be done
    "zh": re.compile(r"[^，。；、：,;:]*(?:了|过|将|要|会)"),
    "ja": re.compile(r"[^，。；、：,;:]*(?:した|ました|った|する|します|予定)"),
}
_GERMAN = re.compile(r"(?i)\b(?:der|die|das|und|ist|nicht|den|dem|ein|eine|wird|wurde|steht|stand|noch)\b")
_FRENCH = re.compile(r"(?i)\b(?:le|la|les|des|une|un|est|a|ont|été|nous|avons|on)\b")


def absolute(memory: Memory) -> tuple[str, str] | None:
    """The memory's text with the day behind its relative date, and why; None where it has none that is certain.

    The day is counted from the day of creation where this machine is: the writer's own calendar, not that of UTC.
    """
    if not _may_be_dated(memory.text):
        return None
    created, updated = memory.created, read_date(memory.record.get("updated_at"))
    if created is None or created.year < 2000 or (updated and abs((updated - created).total_seconds()) > 86_400):
        return None
    return written_out(memory.text, created.astimezone().date())


def written_out(text: str, day: date) -> tuple[str, str] | None:
    """As `absolute`, for a text written on this day."""
    bare = _QUOTED.sub(lambda match: "\0" * len(match.group()), text)
    found = sorted({*_days(bare, day), *_weekdays(bare, day), *_counted(bare, day)})
    named = {match.group().casefold() for match in _phrases()[0].finditer(bare)}
    if len({text[start:end].casefold() for start, end, _ in found}) != 1 or len(named) > 1:
        return None
    if _other_date().search(bare) or _general().search(bare):
        return None
    start, end, meant = found[0]
    space = "" if _is_solid(text[end - 1]) else " "
    return f"{text[:end]}{space}({meant}){text[end:]}", f'"{text[start:end]}" was written on {day}'


def _may_be_dated(text: str) -> bool:
    """Looked at first, as few texts have a relative date."""
    if not _signs().isdisjoint(_WORD.findall(text.lower())):
        return True
    return not text.isascii() and any(word in text for word in _solid())


@cache
def _solid() -> list[str]:
    return [word for word in _phrases()[1] if _is_solid(word[0])]


@cache
def _signs() -> frozenset[str]:
    """Words of which one stands in every relative date of a script with spaces."""
    last = {_WORD.findall(phrase)[-1] for phrase in _phrases()[1]}
    return frozenset({*last, *_WEEKDAYS, *_WORD.findall(_UNITS)})


@cache
def _other_date() -> re.Pattern[str]:
    months = lexicon.alternation(lexicon.words("days/months"))
    return re.compile("(?i)" + _OTHER_DATE % (months, months))


@cache
def _general() -> re.Pattern[str]:
    return re.compile(
        rf"(?i)\b(?:{lexicon.alternation(lexicon.words('days/any'))})\b|[每毎如若]|もし|場合|매일|마다|만약"
    )


@cache
def _phrases() -> tuple[re.Pattern[str], dict[str, str]]:
    heads = {word.casefold(): far for word, far in lexicon.heads("days/relative").items()}
    solid = {word for word in heads if _is_solid(word[0])}
    spaced = lexicon.alternation(set(heads) - solid)
    return re.compile(rf"(?i)(?<!\w)(?:{spaced})(?!\w)|{lexicon.alternation(solid)}"), heads


def _days(text: str, day: date) -> Iterator[tuple[int, int, str]]:
    pattern, heads = _phrases()
    for match in pattern.finditer(text):
        far = heads[match.group().casefold()]
        if not _stands_alone(text, match.start(), match.end()) or not _is_of_its_language(text, match):
            continue
        if not far.endswith("w"):
            yield match.start(), match.end(), str(day + timedelta(int(far)))
        elif day.weekday() < 6:  # on a Sunday a week may have begun or be at its end
            monday = day - timedelta(day.weekday()) + timedelta(7 * int(far[:-1]))
            yield match.start(), match.end(), f"{monday} – {monday + timedelta(6)}"


def _weekdays(text: str, day: date) -> Iterator[tuple[int, int, str]]:
    for match in _WEEKDAY.finditer(text):
        word, wanted = match[1].lower(), _WEEKDAYS.index(match[2].lower())
        meant = _weekday(word, wanted, day, bool(_DEICTIC.search(text)))
        if meant and _stands_alone(text, match.start(), match.end()):
            yield match.start(), match.end(), str(meant)


def _weekday(word: str, wanted: int, day: date, of_this: bool) -> date | None:
    """The day meant; "last" and "next" only where it is the same one whether they skip this week's or not."""
    ahead, behind = (wanted - day.weekday()) % 7, (day.weekday() - wanted) % 7
    if word == "last":
        return day - timedelta(behind) if behind > day.weekday() else None
    certain = {"next": day.weekday() + ahead > 6, "this": wanted >= day.weekday(), "coming": ahead > 0}
    return day + timedelta(ahead) if certain.get(word, of_this) else None


def _counted(text: str, day: date) -> Iterator[tuple[int, int, str]]:
    for pattern, sign in ((_AGO, -1), (_AHEAD, 1)):
        for match in pattern.finditer(text):
            parts = match.groupdict()
            number = next(value for name, value in parts.items() if name[0] == "n" and value)
            unit = next(value for name, value in parts.items() if name.startswith("unit") and value)
            count = int(number) if number.isdigit() else _COUNTS[number.lower()]
            start = match.start("phrase") if sign > 0 else match.start()
            if sign > 0 or _stands_alone(text, start, match.end()):
                days = count * (7 if unit[0].lower() in "wsн" else 1)
                yield start, match.end(), str(day + timedelta(sign * days))


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Neither part of a name, a compound or a label, nor something the sentence compares with."""
    before = text[max(0, start - _NEAR) : start]
    begins = not before.strip() or bool(re.search(r"(?:[.!?:;)]|\n|[-*•])\s*$", before))
    if text[start].isupper() and not begins:
        return False
    if not begins and _AGAINST.search(before):
        return False
    return not _ATTACHED.match(text, end) and not _is_attribute(text, start, end)


def _is_attribute(text: str, start: int, end: int) -> bool:
    """Whether an English day belongs to a noun behind it ("tomorrow follow-up checks")."""
    if text[start:end].lower() not in ("yesterday", "today", "tomorrow", "tonight"):
        return False
    word = re.compile(r"\s+([\w'’-]+)").match(text, end)
    return bool(word and not word[1].isdigit() and word[1].lower() not in lexicon.words("function_words"))


def _is_of_its_language(text: str, match: re.Match[str]) -> bool:
    """Whether it is no word of another meaning: "hier" is German for here, "mañana" also means morning or one day."""
    word, before = match.group().casefold(), text[max(0, match.start() - _NEAR) : match.start()]
    if word == "hier":
        return bool(_FRENCH.search(text)) and not _GERMAN.search(text)
    if word == "mañana":
        return not before or bool(re.search(r"[.!?:;]\s*$", before))
    if word == "morgen":
        return not re.search(r"(?i)\b(?:heute|gestern|übermorgen|am) $", before)
    if not _is_solid(word[0]):
        return True
    opens = match.start() == 0 or text[match.start() - 1] in "，。；、：,;: \n"
    return opens and any(pattern.match(text, match.end()) for pattern in _SPOKEN.values())


def _is_solid(letter: str) -> bool:
    """Whether it is of a script that writes no spaces between words."""
    return "\u2e80" <= letter < "\uac00"
