"""What a store's rows have in common: whose they are, and one row for one memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ..memory import Memory, Scope
from .protocol import Listing


def in_scope(memories: Iterable[Memory], scope: Scope) -> Listing:
    """The memories of this scope, each once; what is left out is counted and told."""
    listing = Listing([])
    seen: dict[str, Memory] = {}
    torn: set[str] = set()
    nameless = textless = agents = 0
    for memory in memories:
        if memory.scope.user != scope.user or scope.project not in (None, memory.scope.project):
            listing.dropped += 1
        elif memory.scope.agent != scope.agent:
            agents += 1
        elif not memory.id:
            nameless += 1
        elif not memory.text and not isinstance(memory.record.get("memory"), str):
            textless += 1
        elif memory.id not in seen:
            seen[memory.id] = memory
        elif seen[memory.id].record != memory.record:
            torn.add(memory.id)
    listing.memories = [memory for memory in seen.values() if memory.id not in torn]
    if nameless:
        listing.notes.append(f"{counted(nameless)} without an id left alone.")
    if textless:
        listing.notes.append(f"Not read: {counted(textless)} without a text.")
    if torn:
        listing.notes.append(f"{counted(len(torn))} left alone because the same id came with different contents.")
    if agents:
        which = "of another agent left alone" if scope.agent else "of an agent left alone; --agent names one"
        listing.notes.append(f"{counted(agents)} {which}.")
    return listing


def loosened(memories: Iterable[Memory], scope: Scope) -> tuple[Scope, list[str]]:
    """The scope, without its project if none of the user's memories has one, and what to say of those without one."""
    scopes = [memory.scope for memory in memories if memory.scope.user == scope.user]
    without = scopes.count(scope._replace(project=None))
    if scope.project is None or not scopes:
        return scope, []
    if any(found.project for found in scopes):
        if not without:
            return scope, []
        return scope, [without_project(without)]
    named = [f"{kind} {name}" for kind, name in (("user", scope.user), ("agent", scope.agent)) if name]
    whose = f" of {', '.join(named)}" if named else ""
    return scope._replace(project=None), [f"No memory{whose} here has a project, so all of them are taken."]


def without_project(count: int) -> str:
    return f"{counted(count)} without a project left out; --project none takes all."


def owners(memories: Iterable[Memory]) -> list[tuple[Scope, int]]:
    """Who has memories and how many, the most first."""
    return Counter(memory.scope for memory in memories).most_common()


def closest(memories: Sequence[Memory], query: str, limit: int) -> list[Memory]:
    """The memories that share most words with the query, for stores without a search of their own."""
    wanted = set(query.lower().split())
    scored = ((len(wanted & set(memory.text.lower().split())), memory) for memory in memories)
    return [memory for score, memory in sorted(scored, key=lambda pair: -pair[0])[:limit] if score]


def counted(count: int, noun: str = "memory") -> str:
    """A number and its noun."""
    return f"1 {noun}" if count == 1 else f"{count} {'memories' if noun == 'memory' else noun + 's'}"
