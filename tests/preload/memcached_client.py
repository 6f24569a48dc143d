#!/usr/bin/python3
"""memcached_client.py SOCKET THREADS ROUNDS: sets, gets, deletes and counts, and checks it all.

Each thread owns some keys, whose values it knows; all share a counter, whose sum is known at the
end, and keys that all write, where a value must be one that somebody wrote whole. The sizes make
the server evict: a miss is allowed, a wrong value is not.
"""
import hashlib
import random
import socket
import sys
import threading


class Client:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(30)
        self.socket.connect(path)
        self.file = self.socket.makefile("rb")

    def ask(self, request):
        self.socket.sendall(request)
        return self.file.readline().rstrip(b"\r\n")

    def set(self, key, value):
        answer = self.ask(b"set %s 0 0 %d\r\n%s\r\n" % (key, len(value), value))
        if answer != b"STORED":
            raise RuntimeError(f"set: {answer!r}")

    def get(self, keys):
        self.socket.sendall(b"get %s\r\n" % b" ".join(keys))
        values = {}
        while True:
            line = self.file.readline().rstrip(b"\r\n")
            if line == b"END":
                return values
            word, key, _, size = line.split()
            if word != b"VALUE":
                raise RuntimeError(f"get: {line!r}")
            values[key] = self.file.read(int(size) + 2)[:-2]

    def delete(self, key):
        answer = self.ask(b"delete %s\r\n" % key)
        if answer not in (b"DELETED", b"NOT_FOUND"):
            raise RuntimeError(f"delete: {answer!r}")

    def increment(self, key):
        return int(self.ask(b"incr %s 1\r\n" % key))


def value_for(seed, size):
    digest = hashlib.sha256(seed).hexdigest().encode()
    return digest + b":" + (digest * (size // len(digest) + 1))[:size]


def is_whole(value):
    digest, _, rest = value.partition(b":")
    return rest == (digest * (len(rest) // len(digest) + 1))[:len(rest)]


class Worker(threading.Thread):
    def __init__(self, path, number, rounds, errors):
        super().__init__()
        self.client = Client(path)
        self.number = number
        self.rounds = rounds
        self.errors = errors
        self.hits = 0

    def check(self, condition, what):
        if not condition:
            raise RuntimeError(what)

    def one_round(self, chance, known, index):
        key = b"own-%d-%d" % (self.number, chance.randrange(50))
        known[key] = value_for(b"%s %d" % (key, index), chance.choice((10, 500, 20000)))
        self.client.set(key, known[key])
        wanted = chance.sample(sorted(known), min(4, len(known)))
        for key, value in self.client.get(wanted).items():
            self.check(value == known[key], f"{key} has a wrong value")
            self.hits += 1
        if chance.random() < 0.1:
            key = chance.choice(sorted(known))
            self.client.delete(key)
            del known[key]
            self.check(key not in self.client.get([key]), f"{key} is there after its deletion")
        shared = b"shared-%d" % chance.randrange(4)
        self.client.set(shared, value_for(b"%d %d" % (self.number, index), 2000))
        for value in self.client.get([shared]).values():
            self.check(is_whole(value), f"{shared} is mixed from two values")
        self.client.increment(b"counter")

    def run(self):
        try:
            chance = random.Random(self.number)
            known = {}
            for index in range(self.rounds):
                self.one_round(chance, known, index)
        except Exception as error:  # whatever it is, the main thread must hear of it
            self.errors.append(f"thread {self.number}: {error!r}")


def main():
    path, threads, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    client = Client(path)
    client.set(b"counter", b"0")
    errors = []
    workers = [Worker(path, number, rounds, errors) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    hits = sum(worker.hits for worker in workers)
    count = client.get([b"counter"]).get(b"counter")
    if count is not None and int(count) != threads * rounds:
        errors.append(f"counter is {int(count)}, not {threads * rounds}")
    if hits < threads * rounds:
        errors.append(f"only {hits} hits in {threads * rounds} rounds")
    if errors:
        sys.exit("\n".join(errors))
    print(f"{threads} threads, {rounds} rounds each, {hits} hits, all right")


main()
