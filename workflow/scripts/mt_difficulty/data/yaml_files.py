"""YAML files, read strictly: plain values alone, each key once, of a bounded size."""

from pathlib import Path
from typing import Any

import yaml
from yaml.constructor import ConstructorError

from ..errors import UNPRINTABLE, InputError

# Values, those that an alias repeats counted again; a config of a thousand sets has as many.
MOST_VALUES = 20_000
MOST_DIGITS = 18
KINDS = ("str", "int", "float", "bool", "null", "seq", "map", "merge")
TAGS = {f"tag:yaml.org,2002:{kind}" for kind in KINDS}


class StrictLoader(yaml.SafeLoader):
    """PyYAML's safe loader without tags, dates, repeated keys and endless values."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.values = 0
        self.sizes: dict[yaml.Node | None, int] = {}  # of nodes that are complete

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Count values, and refuse what one file should not say."""
        event, before = self.peek_event(), self.values
        if getattr(event, "tag", None):
            raise _error(f"the tag {event.tag} has no meaning here; write the value alone", event)
        node = super().compose_node(parent, index)
        if not isinstance(event, yaml.AliasEvent):
            self.values += 1
            self.sizes[node] = self.values - before
        elif node in self.sizes:
            self.values += self.sizes[node]
        else:
            raise _error(f"*{event.anchor} is an alias of what it is a part of", event)
        if self.values > MOST_VALUES:
            raise _error(f"more than {MOST_VALUES:,} values, counting what aliases repeat", event)
        return node

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        """Refuse a key that is there already: YAML would take the last one."""
        node, seen = super().compose_mapping_node(anchor), set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and (key.tag, key.value) in seen:
                raise _error(f"the key `{key.value}` is there twice", key)
            seen.add((key.tag, key.value if isinstance(key, yaml.ScalarNode) else id(key)))
        return node

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        """Refuse values that are no text, number, truth value, list or mapping."""
        if node.tag not in TAGS:
            raise _error(f"{node.value} is read as a {node.tag.split(':')[-1]}; quote it", node)
        if isinstance(node, yaml.ScalarNode):
            if node.tag.endswith(":int") and len(node.value) > MOST_DIGITS:
                raise _error(f"a whole number of more than {MOST_DIGITS} digits", node)
            if sign := UNPRINTABLE.search(node.value.replace("\n", "")):
                raise _error(f"the character {sign[0]!a} inside of a text", node)
        try:
            return super().construct_object(node, deep)
        except ValueError as error:
            raise _error(str(error), node) from None


def _error(problem: str, place: Any) -> ConstructorError:
    return ConstructorError(None, None, problem, place.start_mark)


def read_yaml(path: str | Path) -> dict:
    """A YAML file that holds keys and values.

    Raises
    ------
    InputError
        It is not YAML, holds something else, or what `StrictLoader` refuses; the message names the
        line.
    """
    if not Path(path).is_file():
        reason = "not a file" if Path(path).exists() else "no such file"
        raise InputError(f"{path}: {reason}; expected a YAML file.")
    data = Path(path).read_bytes()
    try:
        content = yaml.load(data.decode("utf-8"), StrictLoader)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}, line {line}: not UTF-8. Convert the file to UTF-8.") from None
    except yaml.reader.ReaderError as error:
        line = data.decode("utf-8").count("\n", 0, error.position) + 1
        character = ascii(chr(error.character))
        raise InputError(f"{path}, line {line}: not YAML: the character {character}.") from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise InputError(f"{path}, line {line}: not as expected: {error.problem}.") from None
    except RecursionError:
        raise InputError(f"{path}: keys or lists are nested hundreds of levels deep.") from None
    if not isinstance(content, dict):
        raise InputError(f"{path}: expected keys and values as in config.yaml.")
    return content


def read_checked_yaml(path: Path) -> dict:
    """A file that `read_yaml` has read before: the same values, ten times as fast."""
    return yaml.load(path.read_bytes(), yaml.CSafeLoader)
