"""Registries that find their members: each module of a folder is one, by its name."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar

Member = TypeVar("Member")


class Registry(Mapping[str, Member]):
    """The modules of a package's folder, as `mt_difficulty.metrics`, but for `base`; a module is
    imported when what `member` gives of it is asked for."""

    def __init__(self, package: str, member: Callable[[ModuleType], Member]) -> None:
        self._package, self._member = package, cache(member)

    def __getitem__(self, name: str) -> Member:
        if name not in self._names:
            raise KeyError(name)
        return self._member(import_module(f"{self._package}.{name}"))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    @property
    def _names(self) -> list[str]:
        return _modules(tuple(import_module(self._package).__path__))


@cache
def _modules(path: tuple[str, ...]) -> list[str]:
    """The names of the modules in some folders, but for `base`."""
    found = [module for module in pkgutil.iter_modules(path) if not module.ispkg]
    return sorted(module.name for module in found if module.name != "base")


def class_of(base: type) -> Callable[[ModuleType], Any]:
    """What finds the one class of a module that is made there and derives from `base`."""

    def find(module: ModuleType) -> type:
        (found,) = (
            thing
            for thing in vars(module).values()
            if isinstance(thing, type)
            and issubclass(thing, base)
            and thing.__module__ == module.__name__
        )
        return found

    return find
