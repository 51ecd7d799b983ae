#!/usr/bin/env python3
"""Prints what type checkers read of the Python package, from the package as it is built.

    python3 tools/make_python_types.py options > python/heed/_options.py    # keyword arguments
    python3 tools/make_python_types.py native > python/heed/_heed.pyi       # the native module

The second needs nanobind.
"""

import re
import sys

from heed import _arguments, _heed

CALLS = {
    "train": "TrainOptions",
    "translate": "TranslateOptions",
    "generate": "GenerateOptions",
    "parse": "ParseOptions",
    "score": "ScoreOptions",
    "evaluate": "EvaluateOptions",
    "inspect_data": "InspectDataOptions",
    "clean": "CleanOptions",
}
# Of Model(path, compute=..., device=...) instead.
WITHOUT = dict.fromkeys(("translate", "generate", "parse", "score"), ("compute", "device"))


def type_of(option):
    name = _arguments.TYPES[option["kind"]]
    if option["choices"]:
        name = "Literal[" + ", ".join(f'"{choice}"' for choice in option["choices"]) + "]"
    if option["value"] in ("FILE", "DIR"):
        name = "Path"
    if option["record"]:
        name = "Mapping[str, object]"
    if option["list"]:
        return f"Union[{name}, Sequence[{name}]]"
    return f"Optional[{name}]" if not option["defaults"] else name


def print_options():
    print('"""The types of keyword arguments, for type checkers. Made by tools/make_python_types.py."""')
    print("\nimport os\nfrom collections.abc import Mapping, Sequence")
    print("from typing import Literal, Optional, TypedDict, Union")
    print("\nPath = Union[str, os.PathLike[str]]")
    for call, name in CALLS.items():
        print(f"\n\nclass {name}(TypedDict, total=False):")
        print(f'    """The options of {call}()."""\n')
        for option in _arguments.options_of(call, WITHOUT.get(call, ())):
            print(f"    {option['name']}: {type_of(option)}")
        if call == "translate":
            print("    terms: Union[Path, Mapping[str, Union[str, Sequence[str]]], None]")


# Exceptions name the package as their module, so that messages say heed.Error: the stub would
# import them from it.
EXCEPTIONS = f'''

class Error(RuntimeError):
    """{_heed.Error.__doc__}"""

class UsageError(Error, ValueError):
    """{_heed.UsageError.__doc__}"""
'''


def print_native():
    from nanobind.stubgen import StubGen

    generator = StubGen(_heed)
    generator.put(_heed)
    stub = generator.get()
    stub = stub.replace("from heed import Error as Error, UsageError as UsageError\n", "")
    stub = stub.replace("from heed._heed import paper as paper\n", "")
    stub = re.sub(r"^version: str = .*$", f"version: str\n\npaper: Any{EXCEPTIONS}", stub, flags=re.M)
    stub = stub.replace("from collections.abc import Sequence\n",
                        "from collections.abc import Sequence\nfrom typing import Any\n")  # fmt: skip
    print(stub.rstrip())


if __name__ == "__main__":
    {"options": print_options, "native": print_native}[sys.argv[1]]()
