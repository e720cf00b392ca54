"""Folders for what libraries keep between runs, where neither the installation nor the user's home
can be written."""

import os
import stat
from pathlib import Path


def is_writable(folder: Path) -> bool:
    """Return whether a folder can be written or, if it does not exist, be made."""
    while not os.path.exists(folder):
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK)


def temporary_cache(name: str) -> Path | None:
    """Make a cache, or find that of earlier runs, in the folder for temporary files; return its
    folder, or None if that is impossible. It belongs to the user, who alone can write it: caches of
    compiled functions are code."""
    import tempfile  # a tenth of a second, and seldom needed

    user = os.getuid() if hasattr(os, "getuid") else 0
    try:
        user_folder = Path(tempfile.gettempdir(), f"mt-difficulty-{user}")
        user_folder.mkdir(mode=0o700, exist_ok=True)
        state = user_folder.lstat()
        if hasattr(os, "getuid"):
            others_write = state.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
            if not stat.S_ISDIR(state.st_mode) or state.st_uid != user or others_write:
                return None  # somebody else has made it
        folder = user_folder / name
        folder.mkdir(exist_ok=True)
    except OSError:
        return None
    return folder if is_writable(folder) else None


def for_matplotlib() -> None:
    """Give matplotlib, which is not imported yet, a temporary cache if it cannot write its own: it
    would warn about that."""
    if "MPLCONFIGDIR" in os.environ:
        return
    home = os.path.expanduser("~")
    settings = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    cache = os.environ.get("XDG_CACHE_HOME") or f"{home}/.cache"
    if is_writable(Path(settings, "matplotlib")) and is_writable(Path(cache, "matplotlib")):
        return
    folder = temporary_cache("matplotlib")
    if folder:
        os.environ["MPLCONFIGDIR"] = str(folder)
