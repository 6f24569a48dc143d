#!/usr/bin/python3
"""sqlite_threads.py FILE: money moves between accounts; the sum must stay, for every reader.

sqlite releases the GIL, so its own mutexes are contended: connections of their own in WAL mode,
and one serialised connection that all threads use.
"""
import random
import sqlite3
import sys
import threading

ACCOUNTS, START, WRITERS, READERS, TRANSFERS, INSERTS = 40, 1000, 4, 3, 120, 200


def connect(path):
    return sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)


def create(path):
    base = connect(path)
    if base.execute("PRAGMA journal_mode=WAL").fetchone()[0] != "wal":
        sys.exit("no WAL mode")
    base.execute("CREATE TABLE account (number INTEGER PRIMARY KEY, amount INTEGER)")
    base.execute("CREATE TABLE event (thread INTEGER, number INTEGER, text TEXT)")
    base.executemany("INSERT INTO account VALUES (?, ?)", [(i, START) for i in range(ACCOUNTS)])
    return base


def transfer(path, number):
    base, chance = connect(path), random.Random(number)
    base.execute("PRAGMA synchronous=OFF")
    for _ in range(TRANSFERS):
        giver, taker = chance.sample(range(ACCOUNTS), 2)
        amount = chance.randrange(100)
        base.execute("BEGIN IMMEDIATE")
        base.execute("UPDATE account SET amount = amount - ? WHERE number = ?", (amount, giver))
        base.execute("UPDATE account SET amount = amount + ? WHERE number = ?", (amount, taker))
        base.execute("COMMIT")
    base.close()


def read(path, stop, errors):
    base = connect(path)
    while True:
        ended = stop.is_set()
        total = base.execute("SELECT sum(amount) FROM account").fetchone()[0]
        if total != ACCOUNTS * START:
            errors.append(f"a reader saw a sum of {total}")
        if ended:
            break
    base.close()


def insert(base, number):
    for index in range(INSERTS):
        base.execute("INSERT INTO event VALUES (?, ?, ?)", (number, index, "x" * 100))
        base.execute("SELECT count(*), max(text) FROM event WHERE thread = ?", (number,)).fetchone()


def guarded(work, errors):
    def run(*arguments):
        try:
            work(*arguments)
        except Exception as error:  # whatever it is, the main thread must hear of it
            errors.append(f"{work.__name__}: {error!r}")
    return run


def start(work, errors, *arguments):
    thread = threading.Thread(target=guarded(work, errors), args=arguments)
    thread.start()
    return thread


def main():
    path = sys.argv[1]
    create(path).close()
    stop, errors = threading.Event(), []
    readers = [start(read, errors, path, stop, errors) for _ in range(READERS)]
    writers = [start(transfer, errors, path, number) for number in range(WRITERS)]
    for writer in writers:
        writer.join()
    stop.set()
    for reader in readers:
        reader.join()

    shared = connect(":memory:")
    shared.execute("CREATE TABLE event (thread INTEGER, number INTEGER, text TEXT)")
    users = [start(insert, errors, shared, number) for number in range(WRITERS)]
    for user in users:
        user.join()
    events = shared.execute("SELECT count(*), count(DISTINCT thread || ' ' || number) FROM event")
    if events.fetchone() != (WRITERS * INSERTS, WRITERS * INSERTS):
        errors.append("events were lost")

    base = connect(path)
    if base.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
        errors.append("integrity_check failed")
    if base.execute("SELECT sum(amount) FROM account").fetchone()[0] != ACCOUNTS * START:
        errors.append("the sum is wrong at the end")
    if errors:
        sys.exit("\n".join(errors[:10]))
    print(f"sqlite: {WRITERS * TRANSFERS} transfers, {WRITERS * INSERTS} events, all right")


main()
