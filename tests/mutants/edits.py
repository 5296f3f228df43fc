#!/usr/bin/env python3
"""Reads the list of mutants (edits, beside this file, which says what it looks like) and makes their edits.

As a program it checks, without building anything, that each mutant can be made: every old text stands in its file
exactly once, every test is there. Used by run.py.
"""
import os, re, sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
LIST = os.path.join(HERE, "edits")


class Wrong(Exception):
    """Something in the list does not hold; says where and what."""


class Edit:
    def __init__(self, file):
        self.file, self.old, self.new = file, [], []

    def replaced_in(self, text):
        """The text after the edit. Tokens are compared, not the white space between them."""
        tokens = re.findall(r"\w+|[^\w\s]", "\n".join(self.old))
        whole_word = [r"\b%s\b" if re.match(r"\w", token) else "%s" for token in tokens]
        pattern = r"\s*".join(word % re.escape(token) for word, token in zip(whole_word, tokens))
        places = [match.span() for match in re.finditer(pattern, text)]
        if len(places) != 1:
            raise Wrong("stands %d times in %s, expected once: %s" % (len(places), self.file, self.old[0]))
        start, end = places[0]
        changed = text[:start] + "\n".join(self.new) + text[end:]
        if changed.split() == text.split():
            raise Wrong("changes nothing in %s: %s" % (self.file, self.old[0]))
        return changed


class Mutant:
    def __init__(self, name, line):
        self.name, self.line, self.tests, self.edits = name, line, [], []

    def files(self):
        return sorted({edit.file for edit in self.edits})

    def key(self):
        """What two versions of a mutant are compared by."""
        return self.name, self.tests, [(edit.file, edit.old, edit.new) for edit in self.edits]

    def made(self, read):
        """{file: its text with the mutant's edits}; read gives the text of a file."""
        texts = {}
        for edit in self.edits:
            texts[edit.file] = edit.replaced_in(texts.get(edit.file) or read(edit.file))
        return texts


class Reader:
    """Reads the list line by line into mutants."""

    def __init__(self):
        self.mutants, self.names, self.file, self.edit = [], {}, None, None

    def mutant(self):
        if not self.mutants:
            raise Wrong("expected a mutant (= name: sentence) first")
        return self.mutants[-1]

    def begin(self, rest, number):
        self.finish()
        name, colon, sentence = rest.partition(": ")
        if not re.fullmatch(r"[a-z0-9-]+", name) or not sentence:
            raise Wrong("expected = name: sentence, the name of small letters, digits and -")
        if name in self.names:
            raise Wrong("the name stands in line %d, too" % self.names[name])
        self.names[name] = number
        self.mutants.append(Mutant(name, number))

    def old(self, text):
        if self.file is None or not self.mutants:
            raise Wrong("expected a file before its edits")
        if self.edit is None or self.edit.new:
            self.finish_edit()
            self.edit = Edit(self.file)
            self.mutant().edits.append(self.edit)
        self.edit.old.append(text)

    def new(self, text):
        if self.edit is None:
            raise Wrong("expected the old text (-) before the new one")
        self.edit.new.append(text)

    def finish_edit(self):
        if self.edit is not None and not self.edit.new:
            raise Wrong("an edit before this line has no new text: a + alone takes the old text away")
        if self.edit is not None and not "".join(self.edit.old).strip():
            raise Wrong("an edit before this line has no old text")
        self.edit = None

    def finish(self):
        self.finish_edit()
        if self.mutants and not (self.mutants[-1].edits and self.mutants[-1].tests):
            raise Wrong("%s, before this line, has no edit or no test" % self.mutants[-1].name)
        self.file = None

    def line(self, line, number):
        sign, _, rest = line.partition(" ")
        rest = rest if sign in "+-" else rest.strip()
        if line == "" or sign == "#":
            return
        if sign == "##":
            self.finish()
        elif sign == "=":
            self.begin(rest, number)
        elif sign == "test" and rest:
            self.mutant().tests.append(rest)
        elif sign == "file" and rest:
            self.finish_edit()
            self.file = rest
        elif sign == "-":
            self.old(rest)
        elif sign == "+":
            self.new(rest)
        else:
            raise Wrong("expected =, test, file, - or +, found: %s" % line)


def read_list(lines):
    """The mutants of the list's lines; raises Wrong."""
    reader = Reader()
    for number, line in enumerate(lines, 1):
        try:
            reader.line(line.rstrip("\r\n"), number)
        except Wrong as wrong:
            raise Wrong("tests/mutants/edits:%d: %s" % (number, wrong)) from None
    try:
        reader.finish()
    except Wrong as wrong:
        raise Wrong("tests/mutants/edits: at the end: %s" % wrong) from None
    return reader.mutants


def moved(path):
    """A hint where a file that is not at its path may have gone."""
    name, top = os.path.basename(path), path.split("/")[0]
    found = [folder for folder, _, files in os.walk(os.path.join(SOURCE, top)) if name in files]
    return "; moved to %s?" % os.path.relpath(os.path.join(found[0], name), SOURCE) if found else ""


def file_reader(root):
    """A function that reads the files below root, each once."""
    texts = {}

    def read(file):
        if file not in texts:
            try:
                with open(os.path.join(root, file), encoding="utf-8", newline="") as stream:
                    texts[file] = stream.read()
            except OSError:
                raise Wrong("there is no %s" % file + moved(file)) from None
        return texts[file]

    return read


def source_of(test):
    """The file that a test is made of."""
    program = test.split()[0]
    return program if program.endswith((".sh", ".py")) else program + ".c"


def check_test(test):
    """Raises Wrong for a test that is not there."""
    needed = [source_of(test)]
    if test.startswith("tests/cli/run.sh "):
        needed += ["tests/cli/cases/" + case for case in test.split()[1:]]
    for path in needed:
        if not os.path.exists(os.path.join(SOURCE, path)):
            raise Wrong("test %s: there is no %s" % (test, path) + moved(path))


def check(mutants):
    """What is wrong with the mutants: one line each."""
    read, wrong = file_reader(SOURCE), []
    for mutant in mutants:
        try:
            mutant.made(read)
            for test in mutant.tests:
                check_test(test)
        except Wrong as why:
            wrong.append("tests/mutants/edits:%d: %s: %s" % (mutant.line, mutant.name, why))
    return wrong


def read_mutants():
    with open(LIST, encoding="utf-8") as stream:
        return read_list(stream)


def main():
    try:
        mutants = read_mutants()
        wrong = check(mutants)
    except Wrong as why:
        mutants, wrong = [], [str(why)]
    for line in wrong:
        print("FAIL: " + line)
    if not wrong:
        print("%d mutants can be made" % len(mutants))
    return 1 if wrong or not mutants else 0


if __name__ == "__main__":
    sys.exit(main())
