#!/usr/bin/python3
"""check_report.py FILE [WORD...]: fails unless FILE is a report in JSON with a process in it, and
for each WORD a process whose command line holds it."""
import json
import sys


def main():
    path = sys.argv[1]
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    if not isinstance(report.get("schema"), int):
        sys.exit(f"{path}: no schema")
    processes = report.get("processes")
    if not processes:
        sys.exit(f"{path}: no process took part")
    for word in sys.argv[2:]:
        if not any(word in process["command"] for process in processes):
            sys.exit(f"{path}: no process whose command line holds '{word}'")


main()
