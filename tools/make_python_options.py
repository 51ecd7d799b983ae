#!/usr/bin/env python3
"""Prints python/heed/_options.py: the types of keyword arguments, from heed's table of options.

    python3 tools/make_python_options.py > python/heed/_options.py
"""

from heed import _arguments

CALLS = {
    "train": "TrainOptions",
    "translate": "TranslateOptions",
    "score": "ScoreOptions",
    "evaluate": "EvaluateOptions",
    "inspect_data": "InspectDataOptions",
}
# Of Model(path, compute=...) instead.
WITHOUT = {"translate": ("compute",), "score": ("compute",)}


def type_of(option):
    name = _arguments.TYPES[option["kind"]]
    if option["choices"]:
        name = "Literal[" + ", ".join(f'"{choice}"' for choice in option["choices"]) + "]"
    if option["value"] in ("FILE", "DIR"):
        name = "Path"
    if option["list"]:
        return f"Union[{name}, Sequence[{name}]]"
    return f"Optional[{name}]" if not option["defaults"] else name


def main():
    print('"""The types of keyword arguments, for type checkers. Made by tools/make_python_options.py."""')
    print("\nimport os\nfrom collections.abc import Sequence")
    print("from typing import Literal, Optional, TypedDict, Union")
    print("\nPath = Union[str, os.PathLike[str]]")
    for call, name in CALLS.items():
        print(f"\n\nclass {name}(TypedDict, total=False):")
        print(f'    """The options of {call}()."""\n')
        for option in _arguments.options_of(call, WITHOUT.get(call, ())):
            print(f"    {option['name']}: {type_of(option)}")


if __name__ == "__main__":
    main()
