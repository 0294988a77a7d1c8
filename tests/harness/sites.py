"""Finds the places of a C++ source that one fault can be planted in, and what the fault makes of each.

It works on tokens, not on a parse: the sources are in clang-format's layout, so that a binary `<`,
`*` or `&&` stands between blanks and a template bracket does not. What does not compile is found
out by compiling (draw.py).
"""

import re
from typing import NamedTuple

TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#[^\n]*)
      | (?P<text>[LRuU8]*"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])+')
      | (?P<number>\.?\d(?:[eEpP][+-]|[\w.']|(?<=\d)'(?=\d))*)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<mark><=>|<<=|>>=|->\*|\.\.\.|::|->|\+\+|--|<<|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE)

PRECEDENCE = {"*": 13, "/": 13, "%": 13, "+": 12, "-": 12, "<<": 11, ">>": 11, "<=>": 10, "<": 9,
              ">": 9, "<=": 9, ">=": 9, "==": 8, "!=": 8, "&": 7, "^": 6, "|": 5, "&&": 4,
              "||": 3}
CLOSING = {")": "(", "]": "[", "}": "{", ">": "<"}
KEYWORDS = {"return", "case", "else", "throw", "new", "delete", "do", "co_return"}
# Statements that are no code of a run: their values are fixed when they are compiled.
FIXED = {"constexpr", "static_assert", "template", "using", "enum", "case", "typedef", "concept"}


class Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


class Site(NamedTuple):
    operator: str  # the rule that makes the fault
    start: int
    end: int  # of the expression that is replaced
    now: str  # what the fault makes of it


class Source:
    """The tokens of one file with their brackets, statements and roles."""

    def __init__(self, text):
        self.text = text
        found = []
        for match in TOKEN.finditer(text):
            if match.lastgroup != "space":
                found.append(Token(match.lastgroup, match.group(), match.start(), match.end()))
        self.tokens = self._split_templates(found)
        self.partner = {}
        self.in_function = [False] * len(self.tokens)
        self._brackets()
        self.statement = self._statements()

    def blank_around(self, token):
        return (self.text[token.start - 1] in " \n") and self.text[token.end:token.end + 1] in (
            " ", "\n")

    def _split_templates(self, found):
        """`>>` that closes two template lists becomes two marks; binary ones stay."""
        out = []
        for token in found:
            if token.text == ">>" and not self.blank_around(token):
                out.append(Token("close", ">", token.start, token.start + 1))
                out.append(Token("close", ">", token.start + 1, token.end))
            elif token.text == "<" and not self.blank_around(token):
                out.append(token._replace(kind="open"))
            elif token.text == ">" and not self.blank_around(token):
                out.append(token._replace(kind="close"))
            else:
                out.append(token)
        return out

    def _brackets(self):
        stack = []
        functions = 0
        for n, token in enumerate(self.tokens):
            self.in_function[n] = functions > 0
            if token.text in "([{" and token.kind == "mark" or token.kind == "open":
                code = token.text == "{" and (functions > 0 or self._opens_code(n))
                functions += code
                stack.append((n, code))
            elif token.text in ")]}" and token.kind == "mark" or token.kind == "close":
                if not stack:
                    continue
                other, code = stack.pop()
                functions -= code
                self.partner[n], self.partner[other] = other, n

    def _opens_code(self, n):
        """A brace that follows `)` or a word that follows one: the body of a function."""
        before = self.tokens[n - 1]
        return before.text in (")", "const", "noexcept", "override")

    def _statements(self):
        """Number of the statement of every token, so that a word anywhere in it can be asked for."""
        numbers, number = [], 0
        for token in self.tokens:
            numbers.append(number)
            if token.text in (";", "{", "}"):
                number += 1
        return numbers

    def words_of_statement(self, n):
        here = self.statement[n]
        first = n
        while first > 0 and self.statement[first - 1] == here:
            first -= 1
        last = n
        while last + 1 < len(self.tokens) and self.statement[last + 1] == here:
            last += 1
        return self.tokens[first:last + 1]

    def is_operand_end(self, token):
        return (token.kind in ("name", "number", "text") and token.text not in KEYWORDS
                or token.text in (")", "]", "}") or token.kind == "close")

    def is_binary(self, n):
        token = self.tokens[n]
        return (token.kind == "mark" and token.text in PRECEDENCE and n > 0
                and self.blank_around(token) and self.is_operand_end(self.tokens[n - 1]))

    def left(self, n):
        """The first token of the left operand of the binary operator `n`."""
        rank = PRECEDENCE[self.tokens[n].text]
        at = n - 1
        while True:
            token = self.tokens[at]
            if at in self.partner and self.partner[at] < at:
                at = self.partner[at]
            if at == 0:
                return 0
            before = self.tokens[at - 1]
            if before.kind == "close" or before.text in (")", "]", "}"):
                # `if (...) a + b`: the parenthesis belongs to the statement.
                opener = self.partner.get(at - 1)
                if opener is None or self.tokens[at].kind in ("name", "number", "text") or (
                        self.tokens[at].text in ("!", "~", "*", "&", "-", "+")
                        and not self.is_binary(at)) or (
                        self.tokens[at].text == "(" and before.text == "}"):
                    return at
                at -= 1
                continue
            if self._ends(before, at - 1, rank, left=True):
                return at
            at -= 1

    def right(self, n):
        """The last token of the right operand of the binary operator `n`."""
        rank = PRECEDENCE[self.tokens[n].text]
        at = n + 1
        while True:
            if at in self.partner and self.partner[at] > at:
                at = self.partner[at]
            after = self.tokens[at + 1]
            if after.kind == "close" or after.text in (")", "]", "}"):
                return at
            if self._ends(after, at + 1, rank, left=False):
                return at
            at += 1

    def _ends(self, token, n, rank, left):
        if token.text in ("(", "[", "{", ";", ",", "?", ":", "=", "+=", "-=", "*=", "/=", "|=", "&=",
                          "^=", "%=") and not (not left and token.text in ("(", "[", "{")):
            return True
        if token.kind == "open" and left or token.text in KEYWORDS:
            return True
        if self.is_binary(n):
            return PRECEDENCE[token.text] < rank or (not left and PRECEDENCE[token.text] == rank)
        return False

    def slice(self, first, last):
        return self.text[self.tokens[first].start:self.tokens[last].end]


def usable(source, n):
    """Is token `n` in code that runs, and not in a text for people?"""
    if not source.in_function[n]:
        return False
    words = source.words_of_statement(n)
    return not any(token.kind == "text" or token.text in FIXED for token in words)


# Names that round or choose one way, and the other way.
ROUNDINGS = {"up": "down", "down": "up", "add_up": "add_down", "add_down": "add_up",
             "above": "below", "below": "above", "max": "min", "min": "max", "ceil": "floor",
             "floor": "ceil", "ARF_RND_CEIL": "ARF_RND_FLOOR", "ARF_RND_FLOOR": "ARF_RND_CEIL",
             "ARF_RND_UP": "ARF_RND_DOWN", "lo": "hi", "hi": "lo", "low": "high", "high": "low",
             "exp_up": "exp_down", "exp_down": "exp_up"}
OTHER_COMPARISON = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}


def comparison(source, n):
    token = source.tokens[n]
    if source.is_binary(n) and token.text in OTHER_COMPARISON:
        first, last = source.left(n), source.right(n)
        yield Site("comparison", source.tokens[first].start, source.tokens[last].end,
                   f"{source.slice(first, n - 1)} {OTHER_COMPARISON[token.text]} "
                   f"{source.slice(n + 1, last)}")


def sums(source, n):
    """Of a + b and a - b: a term dropped, halved, or with the other sign."""
    token = source.tokens[n]
    if not (source.is_binary(n) and token.text in "+-"):
        return
    first, last = source.left(n), source.right(n)
    start, end = source.tokens[first].start, source.tokens[last].end
    a, b = source.slice(first, n - 1), source.slice(n + 1, last)
    yield Site("term dropped", start, end, a)
    if token.text == "+":
        yield Site("term dropped", start, end, b)
    yield Site("halved", start, end, f"{a} {token.text} qkvet_harness::half({b})")
    other = "-" if token.text == "+" else "+"
    yield Site("sign", start, end, f"{a} {other} {b}")


def products(source, n):
    token = source.tokens[n]
    if not (source.is_binary(n) and token.text == "*"):
        return
    first, last = source.left(n), source.right(n)
    yield Site("halved", source.tokens[first].start, source.tokens[last].end,
               f"{source.slice(first, n - 1)} * qkvet_harness::half({source.slice(n + 1, last)})")


def additions(source, n):
    """`x += y;` left out."""
    token = source.tokens[n]
    if token.text not in ("+=", "|=", "*="):
        return
    first = n
    while source.tokens[first - 1].text not in (";", "{", "}", ")"):
        first -= 1
    last = n
    while source.tokens[last + 1].text != ";":
        last += 1
        if last + 1 >= len(source.tokens) or source.tokens[last].text in ("{", "}"):
            return
    if source.tokens[first - 1].text == ")" or "for" in [t.text for t in source.tokens[first:n]]:
        return
    yield Site("term dropped", source.tokens[first].start, source.tokens[last].end, "void()")


def index(source, n):
    """One of v[i] becomes its neighbour below, in bounds."""
    token = source.tokens[n]
    if token.text != "[" or n == 0 or not source.is_operand_end(source.tokens[n - 1]):
        return
    last = source.partner.get(n)
    if last is None or last == n + 1:
        return
    inner = source.slice(n + 1, last - 1)
    yield Site("index", source.tokens[n + 1].start, source.tokens[last - 1].end,
               f"qkvet_harness::before({inner})")


def rounding(source, n):
    token = source.tokens[n]
    other = ROUNDINGS.get(token.text)
    if token.kind != "name" or other is None:
        return
    after = source.tokens[n + 1]
    before = source.tokens[n - 1]
    if after.text in ("(", "{"):
        last = source.partner.get(n + 1)
    elif before.text == "." and after.text not in ("=", "+=", "*="):
        last = n
    elif token.text.startswith("ARF_"):
        last = n
    else:
        return
    if last is None:
        return
    first = n
    while source.tokens[first - 1].text in (".", "::", "->", ")", "]"):
        mark = source.tokens[first - 1].text
        first = source.partner[first - 1] if mark in ")]" else first - 1
        if mark in (".", "::", "->") and source.tokens[first - 1].kind == "name":
            first -= 1
    head = source.text[source.tokens[first].start:token.start]
    tail = source.text[token.end:source.tokens[last].end]
    yield Site("rounding direction", source.tokens[first].start, source.tokens[last].end,
               head + other + tail)


def constant(source, n):
    token = source.tokens[n]
    if token.kind != "number" or source.tokens[n - 1].text == "<":
        return
    text = token.text
    if text.lower().startswith("0x") and "p" not in text.lower():
        now = f"{text} >> 1"
    elif "." in text or "p" in text.lower() or "e" in text.lower():
        now = f"{text} * 2" if float_value(text) else "1.0"
    else:
        now = f"{text} + 1"
    yield Site("constant", token.start, token.end, now)


def float_value(text):
    text = text.replace("'", "")
    return float.fromhex(text) if text.lower().startswith("0x") else float(text)


RULES = (comparison, sums, products, additions, index, rounding, constant)


def sites_of(text):
    """Every site of a source, in order."""
    source = Source(text)
    found = []
    for n in range(1, len(source.tokens) - 1):
        if not usable(source, n):
            continue
        for rule in RULES:
            found.extend(rule(source, n))
    return found
