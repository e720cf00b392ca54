"""Registry of plug-in classes: maps each module name of a folder to the class defined in it."""

import pkgutil
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from typing import Any, TypeVar

Member = TypeVar("Member")
# Modules without a registry member.
NOT_MEMBERS = ("aligners", "base", "contrasts", "fitted", "ratings")


class Registry(Mapping[str, Member]):
    """A mapping from the module names of a package to the class that each module defines. A module
    is imported when its class is looked up.

    Parameters
    ----------
    package : str
        Such as `mt_difficulty.metrics`.
    base : type
        Base class of the members.
    """

    def __init__(self, package: str, base: Any) -> None:
        self._package = package
        self._base = base
        self._members: dict[str, Member] = {}  # those that were looked up

    def __getitem__(self, name: str) -> Member:
        if name not in self._members:
            if name not in self._names:
                raise KeyError(name)
            self._members[name] = self._member_of_module(name)
        return self._members[name]

    def _member_of_module(self, name: str) -> Member:
        module = import_module(f"{self._package}.{name}")
        classes = [attribute for attribute in vars(module).values() if isinstance(attribute, type)]
        (member,) = (
            member
            for member in classes
            if issubclass(member, self._base) and member.__module__ == module.__name__
        )
        return member  # type: ignore[return-value]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    @cached_property
    def _names(self) -> list[str]:
        path = import_module(self._package).__path__
        modules = {module.name for module in pkgutil.iter_modules(path) if not module.ispkg}
        return sorted(modules.difference(NOT_MEMBERS))
