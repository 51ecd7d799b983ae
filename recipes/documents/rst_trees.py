#!/usr/bin/env python3
"""Whether docutils reads the same in translations of reStructuredText as in their sources.

    python3 -m venv build/docutils && build/docutils/bin/pip install docutils
    heed translate --model DIR --format rst --input page.rst --output page.zh.rst
    build/docutils/bin/python recipes/documents/rst_trees.py page.rst page.zh.rst [SOURCE TRANSLATION]...

Compared are the trees of blocks, with code and comments as they are, and in each text the literals, the
targets of links and roles, footnotes and emphasis, in any order. Roles of Sphinx are known by their targets,
its directives by their content. Left out are targets, which a title gets that is referred to by its text, and
markup that docutils reports as unfinished, which a translation has as plain characters.
"""
import collections
import re
import sys

from docutils import core, nodes
from docutils.parsers.rst import Directive, directives, roles, states

CODE = """code-block sourcecode literalinclude doctest testcode testoutput testsetup testcleanup productionlist
highlight toctree index module currentmodule autosummary tabularcolumns graphviz digraph""".split()
CODE_BLOCKS = (nodes.literal_block, nodes.comment, nodes.doctest_block, nodes.math_block, nodes.raw)


class AnyDirective(Directive):
    optional_arguments = 1000
    final_argument_whitespace = has_content = True
    option_spec = collections.defaultdict(lambda: directives.unchanged)

    def run(self):
        if self.name in CODE:
            return [nodes.literal_block("", "\n".join(self.content))]
        container = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, container)
        return [container]


def any_role(name, raw, text, line, inliner, options=None, content=None):
    title = re.match(r".+?\s*(?<!\x00)<([^<]*)>$", text, re.DOTALL)
    node = nodes.inline(raw, "")
    node["role"] = name, " ".join(nodes.unescape(title[1] if title else text).split()), title is not None
    return [node], []


def with_default(find, default):
    def found(*arguments):
        known, messages = find(*arguments)
        return (known, messages) if known else (default, [])
    return found


def inline(node):
    if isinstance(node, (nodes.literal, nodes.math)):
        return node.tagname, " ".join(node.astext().split())
    if isinstance(node, nodes.reference):
        return node.tagname, node.get("refuri", "in the document")
    if isinstance(node, nodes.footnote_reference):
        return node.tagname, node.astext()
    return node.tagname, node.get("role", "")


def shape(node):
    if isinstance(node, CODE_BLOCKS):
        return node.tagname, node.astext()
    if isinstance(node, nodes.TextElement):
        inside = [n for n in node.findall(nodes.Inline) if not isinstance(n, (nodes.problematic, nodes.target))]
        return node.tagname, sorted(map(inline, inside), key=str)
    left_out = nodes.system_message, nodes.target, nodes.pending
    return node.tagname, [shape(child) for child in node.children if not isinstance(child, left_out)]


def tree(path):
    settings = {"report_level": 5, "halt_level": 5, "file_insertion_enabled": False, "_disable_config": True}
    with open(path, encoding="utf-8") as file:
        return shape(core.publish_doctree(file.read(), settings_overrides=settings))


def difference(source, translation, path=""):
    """The place where two shapes differ, or None."""
    if source == translation:
        return None
    if source[0] == translation[0] and isinstance(source[1], list) and len(source[1]) == len(translation[1]):
        for number, (one, other) in enumerate(zip(source[1], translation[1])):
            if one != other:
                return difference(one, other, f"{path}/{source[0]}[{number}]")
    return f"{path}: {str(source)[:200]} became {str(translation)[:200]}"


def main():
    paths = sys.argv[1:]
    if not paths or len(paths) % 2:
        sys.exit(__doc__)
    states.directives.directive = with_default(directives.directive, AnyDirective)
    states.roles.role = with_default(roles.role, any_role)
    different = 0
    for source, translation in zip(paths[::2], paths[1::2]):
        found = difference(tree(source), tree(translation))
        if found:
            different += 1
            print(f"{translation}: {found}")
    print(f"{len(paths) // 2} documents, {different} read otherwise than their source")
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
