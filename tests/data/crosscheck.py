#!/usr/bin/env python3
"""crosscheck.py - our JSON and TOML readers against Python's, over every file of the sets.

    crosscheck.py json|toml DUMP

DUMP is the test tool of tests/unit/base/dump.c. A file under accept/ must be accepted, one under
reject/ refused; Python's reader must agree, and both must have read the same values. Where Python
differs from the specification, the file stands in a table below with the reason. A difference that
is in no table fails, and so does a table entry that no longer differs.
"""

import datetime
import json
import math
import pathlib
import re
import subprocess
import sys
import tomllib

DATA = pathlib.Path(__file__).resolve().parent

# Refused here, read by Python.
PYTHON_ACCEPTS = {
    "json": {
        "literal-nan": "Python's json reads NaN, which RFC 8259 does not know",
        "literal-infinity": "the same for Infinity",
        "literal-minus-infinity": "the same for -Infinity",
        "depth-513-arrays": "the tool's limit is 512 levels",
        "depth-513-objects": "the tool's limit is 512 levels",
    },
    "toml": {
        "integer-past-largest": "Python's integers have no limit; ours have 64 bits",
        "integer-past-least": "the same",
        "integer-huge": "the same",
        "integer-hex-past-largest": "the same",
        "integer-hex-all-ones": "the same",
        "integer-octal-past-largest": "the same",
        "integer-binary-past-largest": "the same",
        "depth-513-arrays": "the tool's limit is 512 levels",
        "depth-513-dotted": "the tool's limit is 512 levels",
        "depth-513-header": "the tool's limit is 512 levels",
        "depth-513-array-header": "the tool's limit is 512 levels",
        "depth-513-inline": "the tool's limit is 512 levels",
    },
}

# Read here, refused by Python.
PYTHON_REFUSES = {
    "json": {},
    "toml": {
        "text-byte-order-mark": "TOML 1.0 leaves it open; we skip a mark at the start",
        "text-byte-order-mark-only": "the same",
        "text-byte-order-mark-then-header": "the same",
        "date-time-year-zero": "RFC 3339 has the year 0000, Python's calendar begins with 1",
        "local-date-year-zero": "the same",
        "date-time-second-60": "RFC 3339 has leap seconds, Python's clock has none",
        "date-time-second-60-offset": "the same",
        "date-time-second-60-offset-east": "the same",
        "date-time-second-60-offset-far-west": "the same",
        "date-time-second-60-june": "the same",
        "local-date-time-second-60": "the same",
        "local-time-second-60": "the same",
    },
}

# Python keeps half a surrogate pair in a str; a decoded string of ours has U+FFFD there.
LONE_SURROGATES = {
    "object-key-lone-surrogate",
    "string-lone-high",
    "string-lone-high-at-16",
    "string-lone-high-last",
    "string-lone-high-then-backslash",
    "string-lone-high-then-escape",
    "string-lone-high-then-high-pair",
    "string-lone-high-then-other-u",
    "string-lone-high-then-text",
    "string-lone-low",
    "string-lone-low-after-pair",
    "string-lone-low-last",
    "string-lone-low-then-high",
}


def tagged(kind, value):
    return {"type": kind, "value": value}


# ---- JSON: every value tagged, the members of an object as a flat list of keys and values


class Number(str):
    """A number as it stands in the text."""


def from_json(value):
    if value is None:
        return tagged("null", "null")
    if isinstance(value, bool):
        return tagged("bool", "true" if value else "false")
    if isinstance(value, Number):
        return json_number(value)
    if isinstance(value, str):
        return tagged("string", value)
    if isinstance(value, tuple):  # an object
        flat = [x for pair in value for x in pair]
        return tagged("object", [from_json(x) for x in flat])
    return tagged("array", [from_json(x) for x in value])


def json_number(text):
    out = tagged("number", str(text))
    out["double"] = float(text)
    whole = exact_integer(text)
    if whole is not None and -(2**63) <= whole < 2**63:
        out["int"] = whole
    return out


def exact_integer(text):
    """The number if it is an integer, in any spelling; None otherwise, or when it is enormous."""
    sign, digits, fraction, exponent = re.fullmatch(
        r"(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?", text
    ).groups()
    digits = (digits + (fraction or "")).lstrip("0")
    scale = int(exponent or 0) - len(fraction or "")
    stripped = digits.rstrip("0")
    scale += len(digits) - len(stripped)
    if not stripped:
        return 0
    if scale < 0 or scale > 30 or len(stripped) > 30:
        return None
    return int(sign + stripped) * 10**scale


def read_json(data):
    value = json.loads(
        data.decode("utf-8"),
        parse_int=Number,
        parse_float=Number,
        parse_constant=str,  # NaN and its like; that they are read at all is what counts
        object_pairs_hook=tuple,
    )
    return from_json(value)


def with_replacement(value):
    """The same with U+FFFD for each half of a surrogate pair."""
    if isinstance(value, str):
        return re.sub("[\ud800-\udfff]", "\ufffd", value)
    if isinstance(value, list):
        return [with_replacement(x) for x in value]
    if isinstance(value, dict):
        return {key: with_replacement(x) for key, x in value.items()}
    return value


# ---- TOML: scalars tagged, tables and arrays themselves


def from_toml(value):
    if isinstance(value, dict):
        return {key: from_toml(x) for key, x in value.items()}
    if isinstance(value, list):
        return [from_toml(x) for x in value]
    if isinstance(value, bool):
        return tagged("bool", "true" if value else "false")
    if isinstance(value, int):
        return tagged("integer", str(value))
    if isinstance(value, float):
        return tagged("float", value)
    if isinstance(value, str):
        return tagged("string", value)
    if isinstance(value, datetime.datetime):
        return tagged("datetime" if value.tzinfo else "datetime-local", value)
    return tagged("date-local" if isinstance(value, datetime.date) else "time-local", value)


def read_toml(data):
    return from_toml(tomllib.loads(data.decode("utf-8")))


# ---- comparing


def python_time(kind, text):
    """Python keeps microseconds and drops the digits behind them."""
    text = re.sub(r"(\.\d{1,6})\d*", lambda m: m.group(1).ljust(7, "0"), text)
    if kind == "date-local":
        return datetime.date.fromisoformat(text)
    if kind == "time-local":
        return datetime.time.fromisoformat(text)
    return datetime.datetime.fromisoformat(text)


def same_float(a, b):
    return a == b and math.copysign(1, a) == math.copysign(1, b) or math.isnan(a) and math.isnan(b)


def same_scalar(ours, theirs):
    if ours["type"] != theirs["type"]:
        return False
    if ours["type"] == "float":
        return same_float(float(ours["value"]), theirs["value"])
    if ours["type"] == "number" and not same_float(float(ours["double"]), theirs["double"]):
        return False
    if ours.get("int") != theirs.get("int"):
        return False
    if ours["type"].startswith(("date", "time")):
        return python_time(ours["type"], ours["value"]) == theirs["value"]
    return ours["value"] == theirs["value"]


def is_scalar(value):
    return isinstance(value, dict) and isinstance(value.get("type"), str)


def same(ours, theirs):
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if is_scalar(ours) and is_scalar(theirs):
        if isinstance(ours["value"], list):  # a JSON container
            return ours["type"] == theirs["type"] and same(ours["value"], theirs["value"])
        return same_scalar(ours, theirs)
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(same(ours[k], theirs[k]) for k in ours)
    return False


def dump(tool, kind, paths):
    """What our reader makes of each file: (True, value) or (False, sentence)."""
    got = subprocess.run([tool, kind, *map(str, paths)], capture_output=True, check=True)
    lines = got.stdout.decode("utf-8").split("\n")[:-1]
    if len(lines) != len(paths):
        sys.exit(f"{len(lines)} answers for {len(paths)} files")
    for line in lines:
        verdict, rest = line[:2], line[3:]
        yield (True, json.loads(rest)) if verdict == "ok" else (False, rest)


def python_says(kind, data):
    try:
        return True, (read_json if kind == "json" else read_toml)(data)
    except (ValueError, RecursionError) as why:  # every decode error is a ValueError
        return False, str(why)


def check_verdicts(kind, path, ours, theirs):
    """Sentences about what is wrong with one file."""
    name, want = path.stem, path.parent.name == "accept"
    odd = (PYTHON_REFUSES if want else PYTHON_ACCEPTS)[kind]
    if ours[0] != want:
        yield f"should be {'accepted' if want else 'refused'}: {ours[1]}"
    if not ours[0] and not re.match(re.escape(str(path)) + r":\d+:\d+: ", ours[1]):
        yield f"the error names no place: {ours[1]}"
    if name in odd and theirs[0] == want:
        yield "Python agrees; the exception is not needed"
    if name not in odd and theirs[0] != want:
        yield f"Python {'accepts' if theirs[0] else 'refuses'} it: {theirs[1]}"


def check_values(kind, path, ours, theirs):
    value = theirs[1]
    if kind == "json" and path.stem in LONE_SURROGATES:
        value = with_replacement(value)
    if not same(ours[1], value):
        yield f"read as {ours[1]}, by Python as {value}"


def unused_exceptions(kind, names):
    known = PYTHON_ACCEPTS[kind].keys() | PYTHON_REFUSES[kind].keys()
    if kind == "json":
        known |= LONE_SURROGATES
    for name in sorted(known - names):
        yield f"an exception for {name}, which is no file"


def main():
    kind, tool = sys.argv[1], sys.argv[2]
    paths = sorted(DATA.glob(f"{kind}/*/*.{kind}"))
    bad = list(unused_exceptions(kind, {path.stem for path in paths}))
    sys.setrecursionlimit(20000)
    for path, ours in zip(paths, dump(tool, kind, paths)):
        theirs = python_says(kind, path.read_bytes())
        bad += [f"{path}: {why}" for why in check_verdicts(kind, path, ours, theirs)]
        if ours[0] and theirs[0]:
            bad += [f"{path}: {why}" for why in check_values(kind, path, ours, theirs)]
    for line in bad:
        print(line, file=sys.stderr)
    print(f"{len(paths)} files, {len(bad)} differences")
    return bool(bad) or len(paths) < 100


sys.exit(main())
