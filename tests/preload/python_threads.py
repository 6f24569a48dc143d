#!/usr/bin/python3
"""Threads of every kind that the standard library has, their sums checked.

CPython's own locks are semaphores; its GIL is a mutex and condition variables with time-outs, so
all that runs here passes through those.
"""
import concurrent.futures
import hashlib
import os
import queue
import subprocess
import sys
import threading
import zlib

sys.setswitchinterval(1e-5)  # many hand-overs of the GIL


def run(count, work):
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def check(name, got, wanted):
    if got != wanted:
        sys.exit(f"{name}: {got}, not {wanted}")


def locks():
    lock, again = threading.Lock(), threading.RLock()
    count = [0]

    def work(_):
        for _ in range(2000):
            with lock:
                with again, again:
                    before = count[0]
                    count[0] = before + 1

    run(8, work)
    check("Lock", count[0], 16000)


def conditions():
    condition = threading.Condition()
    turn = [0]

    def work(number):
        for _ in range(200):
            with condition:
                while turn[0] % 4 != number:
                    condition.wait(timeout=None if number % 2 else 0.05)
                turn[0] += 1
                condition.notify_all()

    run(4, work)
    check("Condition", turn[0], 800)


def queues():
    items, sums = queue.Queue(maxsize=5), []

    def produce(number):
        for value in range(1000):
            items.put(number * 1000 + value)

    def consume(_):
        total = 0
        while True:
            item = items.get()
            if item is None:
                break
            total += item
        sums.append(total)

    consumers = [threading.Thread(target=consume, args=(None,)) for _ in range(4)]
    for consumer in consumers:
        consumer.start()
    run(4, produce)
    for _ in consumers:
        items.put(None)
    for consumer in consumers:
        consumer.join()
    check("Queue", sum(sums), sum(range(4000)))


def barriers():
    barrier, slots, seen = threading.Barrier(6), threading.Semaphore(2), []

    def work(number):
        for turn in range(50):
            with slots:
                seen.append((turn, number))
            barrier.wait()

    run(6, work)
    check("Barrier", [turn for turn, _ in seen], [turn for turn in range(50) for _ in range(6)])


def pool():
    data = os.urandom(200000)

    def work(number):  # both release the GIL
        return zlib.crc32(data, number), hashlib.sha256(data[number:]).hexdigest()

    wanted = [work(number) for number in range(100)]
    with concurrent.futures.ThreadPoolExecutor(8) as executor:
        check("ThreadPoolExecutor", list(executor.map(work, range(100))), wanted)


def children():
    """fork and exec while other threads run."""
    results = []

    def work(number):
        for _ in range(3):
            done = subprocess.run([sys.executable, "-S", "-E", "-c", f"print({number} * 2)"],
                                  capture_output=True, text=True, check=True)
            results.append(int(done.stdout))

    run(4, work)
    check("subprocess", sum(results), 3 * 2 * (0 + 1 + 2 + 3))


def main():
    for part in (locks, conditions, queues, barriers, pool, children):
        part()
    print("python: locks, conditions, queues, barriers, pool and children are right")


main()
