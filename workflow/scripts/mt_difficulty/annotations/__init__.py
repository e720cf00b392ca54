"""Human annotations: reading, design, official numbers.

`mt_difficulty.annotations(files)` is a function of the public interface (`annotate.annotations`).
This folder has the same name, and Python makes it the package's attribute once it is imported: so
the module can be called, too."""

import sys
from types import ModuleType
from typing import Any


class _CallableModule(ModuleType):
    """This module; a call of it is one of `annotate.annotations`."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        from .annotate import annotations

        return annotations(*arguments, **options)


sys.modules[__name__].__class__ = _CallableModule
