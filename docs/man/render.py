#!/usr/bin/env python3
"""Renders the comments of a public header as a manual page in section 3.

Usage: render.py HEADER OUTPUT-FOLDER VERSION DATE

Writes PAGE.3, and for every call a link to it. The comments are the one source: the first of a
header is "page: what it is." and prose; one before a call is "call: what it does.", prose, and then
"Returns:", "Errors:" (a line each, the name and the text apart by a tab) and "Example:" (lines that
start with a tab).
"""
import os
import re
import sys

TOKEN = re.compile(
    r"(?P<page>(?<![\w(])[A-Za-z_0-9+-]+\((?P<section>[1-8])\)(?P<page_end>[.,;:)]*))"
    r"|(?P<call>(?<![\w(/<])(?:ownline|pthread)_[a-z_]+\b(?![./*])(?P<call_end>[.,;:)]*))"
    r"|(?P<error>(?<![\w(])E[A-Z]{3,}\b(?P<error_end>[.,;:)]*))"
    r"|(?P<constant>(?<![\w(])[A-Z]+_[A-Z_]+\b(?P<constant_end>[.,;:)]*))"
)
TYPES = {"ownline_mutex", "ownline_cond", "ownline_stats", "ownline_lock_stats", "pthread_mutex_t",
         "pthread_cond_t"}


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-") if text.startswith("-") else text.replace("\\", "\\e")
    return "\\&" + text if text[:1] in (".", "'") else text


def ends(text):
    return "".join(f" {letter}" for letter in text or "")


def prose(text):
    """Lines of mdoc for one paragraph."""
    lines, position = [], 0
    text = " ".join(text.split())

    def plain(piece):
        for sentence in re.split(r"(?<=[.:;]) ", piece.strip()):
            if sentence:
                lines.append(escape(sentence))

    for match in TOKEN.finditer(text):
        name = re.match(r"[\w+-]+", match.group()).group()
        if match["call"] and (name in TYPES or name.endswith("_t")):
            macro, rest = f".Vt {name}", match["call_end"]
        elif match["page"]:
            macro, rest = f".Xr {name} {match['section']}", match["page_end"]
        elif match["call"]:
            macro, rest = f".Fn {name}", match["call_end"]
        elif match["error"]:
            macro, rest = f".Er {name}", match["error_end"]
        else:
            macro, rest = f".Dv {name}", match["constant_end"]
        following = text[match.end():match.end() + 1]
        if following not in ("", " ") or text[match.start() - 1:match.start()] not in ("", " "):
            continue  # part of a longer word
        before = text[position:match.start()]
        if macro.startswith(".Vt") and before.endswith("struct "):
            before, macro = before[:-len("struct ")], f'.Vt "struct {name}"'
        plain(before)
        lines.append(macro + ends(rest))
        position = match.end()
    plain(text[position:])
    return lines


def literal(lines):
    body = [escape(line.expandtabs(8)) if line else "" for line in lines]
    return [".Bd -literal -offset indent", *body, ".Ed"]


class Comment:
    def __init__(self, text):
        lines = [re.sub(r"^ \* ?", "", line) for line in text.strip("\n").split("\n")]
        self.name, _, self.summary = lines[0].partition(": ")
        self.summary = self.summary.rstrip(".")
        self.paragraphs, self.returns, self.errors, self.example, self.see_also = [], "", [], [], ""
        blocks, block = [], []
        for line in lines[1:] + [""]:
            if line.strip() or (block and block[0] == "Example:"):
                if block and (line.startswith(("Errors:", "See also:", "Example:"))):
                    blocks.append(block)
                    block = []
                block.append(line)
            elif block:
                blocks.append(block)
                block = []
        blocks.append(block)
        for block in filter(None, blocks):
            if block[0].startswith("Returns:"):
                self.returns = " ".join(block)[len("Returns:"):].strip()
            elif block[0] == "Errors:":
                for line in block[1:]:
                    match = re.match(r"\s*(E[A-Z]+)\s+(.*)", line)
                    if match:
                        self.errors.append([match[1], match[2]])
                    else:
                        self.errors[-1][1] += " " + line.strip()
            elif block[0] == "Example:":
                self.example = [line[1:] if line.startswith("\t") else line for line in block[1:]]
                while self.example and not self.example[-1].strip():
                    self.example.pop()
            elif block[0].startswith("See also:"):
                self.see_also = block[0][len("See also:"):]
            else:
                self.paragraphs.append(" ".join(block))


def prototype(text):
    """The declaration behind a comment: type, name and parameters."""
    text = re.sub(r"OWNLINE_NONNULL_\([^)]*\)|OWNLINE_[A-Z_]+_\b|__attribute__\(\(.*?\)\)", " ", text)
    text = " ".join(re.split(r"[;{]", text, maxsplit=1)[0].split()).replace("__clockid_t", "clockid_t")
    match = re.fullmatch(r"(.*?)\b(\w+)\((.*)\)", text)
    parameters = [part.strip() for part in match[3].split(",")]
    return match[1].strip(), match[2], parameters


def main():
    if len(sys.argv) != 5:
        print(__doc__.strip())
        return 0 if sys.argv[1:] == ["--help"] else 2
    header, folder, version, date = sys.argv[1:]
    with open(header, encoding="utf-8") as file:
        source = file.read()
    comments = [(Comment(match[1]), source[match.end():])
                for match in re.finditer(r"/\*\n((?: \*.*\n)+?) \*/\n", source)]
    page, calls = comments[0][0], []
    for comment, after in comments[1:]:
        if re.fullmatch(r"ownline_\w+", comment.name):
            calls.append((comment, prototype(after)))
            if calls[-1][1][1] != comment.name:
                sys.exit(f"{header}: the comment on {comment.name} stands before {calls[-1][1][1]}")

    names = [page.name] + [comment.name for comment, _ in calls]
    out = [f".Dd {date}", f".Dt {page.name.upper()} 3", f".Os ownline {version}", ".Sh NAME"]
    out += [f".Nm {name} ," for name in names[:-1]] + [f".Nm {names[-1]}", f".Nd {page.summary}"]
    out += [".Sh LIBRARY", "ownline (libownline, \\-lownline)", ".Sh SYNOPSIS",
            f".In ownline/{os.path.basename(header)}"]
    for _, (kind, name, parameters) in calls:
        out += [f".Ft {kind}", f".Fo {name}", *[f'.Fa "{part}"' for part in parameters], ".Fc"]
    out.append(".Sh DESCRIPTION")
    for number, paragraph in enumerate(page.paragraphs):
        out += ([".Pp"] if number else []) + prose(paragraph)
    macros = re.findall(r"/\* (.*?) \*/\n#define (OWNLINE_\w+_INIT)\b", source)
    if macros:
        out += [".Bl -tag -width Ds"]
        for text, name in macros:
            out += [f".It Dv {name}", *prose(text)]
        out.append(".El")
    for text, body in re.findall(r"/\* (What all.*?) \*/\n(struct \w+ \{.*?\n\};)", source, flags=re.S):
        out += [".Pp", *prose(text), *literal(re.sub(r"\n\tuint64_t reserved_.*", "", body).split("\n"))]
    for comment, _ in calls:
        out += [f".Ss {comment.name}", *prose(comment.summary[:1].upper() + comment.summary[1:] + ".")]
        for paragraph in comment.paragraphs:
            out += [".Pp", *prose(paragraph)]
        if comment.example:
            out += [".Pp", "For example:", *literal(comment.example)]
    out.append(".Sh RETURN VALUES")
    returning = [comment for comment, _ in calls if comment.returns]
    for number, comment in enumerate(returning):
        out += ([".Pp"] if number else []) + [f".Fn {comment.name}", *prose("returns " + comment.returns)]
    if not returning:
        out.append("None of these calls returns an error." if calls else "As those of the C library.")
    out += [".Sh EXAMPLES", *literal(page.example)]
    if any(comment.errors for comment in returning):
        out.append(".Sh ERRORS")
        for comment in returning:
            if comment.errors:
                out += [f".Fn {comment.name}", "fails with", ".Bl -tag -width Er"]
                for name, text in comment.errors:
                    out += [f".It Bq Er {name}", *prose(text + ".")]
                out.append(".El")
    out.append(".Sh SEE ALSO")
    pages = sorted(re.findall(r"([\w-]+)\((\d)\)", page.see_also), key=lambda item: (item[1], item[0]))
    out += [f".Xr {name} {section}" + (" ," if index < len(pages) - 1 else "")
            for index, (name, section) in enumerate(pages)]

    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, f"{page.name}.3"), "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")
    for name in names[1:]:
        link = os.path.join(folder, f"{name}.3")
        if os.path.lexists(link):
            os.remove(link)
        os.symlink(f"{page.name}.3", link)
    return 0


sys.exit(main())
