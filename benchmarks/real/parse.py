"""What load generators print, as figures: operations, seconds, and milliseconds of latency."""

import re


class Unreadable(Exception):
    """The output has not the shape that is expected."""


def _find(pattern, text, what):
    found = re.search(pattern, text, re.MULTILINE)
    if not found:
        raise Unreadable(f"no {what} in the output")
    return found.groups() if found.re.groups > 1 else found[1]


def percentile(buckets, share):
    """buckets: (lower, upper, count), ascending. Interpolated within a bucket."""
    wanted = share * sum(count for _, _, count in buckets)
    seen = 0
    for lower, upper, count in buckets:
        if count and seen + count >= wanted:
            return lower + (upper - lower) * (wanted - seen) / count
        seen += count
    raise Unreadable("an empty histogram")


def _figures(operations, seconds, **latency):
    if operations <= 0 or seconds <= 0:
        raise Unreadable("no operation was done")
    return {"operations": operations, "seconds": seconds, "ops_per_second": operations / seconds,
            **latency}


def sysbench(text):
    """Of a test with --histogram=on; an operation is an event."""
    seconds = float(_find(r"total time:\s+([\d.]+)s", text, "total time"))
    events = int(_find(r"total number of events:\s+(\d+)", text, "number of events"))
    values = [(float(value), int(count)) for value, count in
              re.findall(r"^\s+([\d.]+) \|\**\s+(\d+)$", text, re.MULTILINE)]
    # A value is the middle of its bucket as sysbench counts: no interpolation.
    buckets = [(value, value, count) for value, count in values]
    return _figures(events, seconds, mean_ms=float(_find(r"avg:\s+([\d.]+)", text, "average")),
                    p95_ms=percentile(buckets, 0.95), p99_ms=percentile(buckets, 0.99))


def sysbench_mutex(text, locks):
    """Every thread is one event; an operation is one of its locks, and no latency of it is told."""
    seconds = float(_find(r"total time:\s+([\d.]+)s", text, "total time"))
    threads = int(_find(r"Number of threads:\s+(\d+)", text, "number of threads"))
    return _figures(threads * locks, seconds)


def memcaslap(text):
    """With --stat_freq: the log2 histogram of all requests, in microseconds."""
    operations, = re.findall(r"^Run time: [\d.]+s Ops: (\d+)", text, re.MULTILINE) or [None]
    if operations is None:
        raise Unreadable("no run time in the output")
    seconds = float(_find(r"^Run time: ([\d.]+)s", text, "run time"))
    total = text[text.rfind("Total Statistics ("):]
    buckets = []
    for first, counts in re.findall(r"^\s+(\d+):((?:\s+\d+)+)$", total, re.MULTILINE):
        for place, count in enumerate(counts.split()):
            power = int(first) + place
            buckets.append((2.0 ** (power - 1) / 1e3, 2.0 ** power / 1e3, int(count)))
    return _figures(int(operations), seconds,
                    mean_ms=float(_find(r"^\s+Avg:\s+([\d.]+)", total, "average")) / 1e3,
                    p95_ms=percentile(buckets, 0.95), p99_ms=percentile(buckets, 0.99))


def redis_benchmark(text, requests):
    """--csv of several tests with `requests` each; latencies weigh as their tests' requests do."""
    rows = [[float(word) for word in row] for row in
            re.findall(r'^"[^"]+"' + r',"([\d.]+)"' * 7 + "$", text, re.MULTILINE)]
    if not rows:
        raise Unreadable("no row of a test in the output")
    seconds = sum(requests / row[0] for row in rows)

    def mean(column):
        return sum(row[column] for row in rows) / len(rows)

    return _figures(len(rows) * requests, seconds, mean_ms=mean(1), p95_ms=mean(4), p99_ms=mean(5))


def db_bench(text, name):
    """With --histogram=1. Only the threads of the benchmark count, not a writer beside readers."""
    seconds, operations = _find(rf"^{name}\s+:.* ops/sec ([\d.]+) seconds (\d+) operations", text,
                                f"line of {name}")
    buckets = [(float(lower), float(upper), int(count)) for lower, upper, count in
               re.findall(r"^[\[(]\s*(\d+),\s*(\d+) \]\s+(\d+)", text, re.MULTILINE)]
    return _figures(int(operations), float(seconds),
                    mean_ms=float(_find(r"Average: ([\d.]+)", text, "average")) / 1e3,
                    p95_ms=percentile(buckets, 0.95) / 1e3, p99_ms=percentile(buckets, 0.99) / 1e3)


def cache_bench(text):
    """RocksDB's block cache alone; histogram in nanoseconds."""
    seconds, rate = _find(r"Complete in ([\d.]+) s; Rough parallel ops/sec = (\d+)", text, "rate")
    buckets = [(float(lower), float(upper), int(count)) for lower, upper, count in
               re.findall(r"^[\[(]\s*(\d+),\s*(\d+) \]\s+(\d+)", text, re.MULTILINE)]
    return _figures(int(rate) * float(seconds), float(seconds),
                    mean_ms=float(_find(r"Average: ([\d.]+)", text, "average")) / 1e6,
                    p95_ms=percentile(buckets, 0.95) / 1e6, p99_ms=percentile(buckets, 0.99) / 1e6)


def stress_ng(text, stressor):
    """--metrics-brief; an operation is what it calls a bogo operation."""
    operations, seconds = _find(
        rf"metrc: \[\d+\] {stressor}\s+(\d+)\s+([\d.]+)\s+[\d.]+\s+[\d.]+\s+[\d.]+\s+[\d.]+", text,
        f"line of {stressor}")
    return _figures(int(operations), float(seconds))


def own(text):
    """The programs of this folder: `operations 1 seconds 2 mean_us 3 p95_us 4 p99_us 5`."""
    words = text.split()
    named = dict(zip(words[::2], words[1::2]))
    try:
        latency = {key[:-3] + "_ms": float(named[key]) / 1e3
                   for key in ("mean_us", "p95_us", "p99_us") if key in named}
        return _figures(int(named["operations"]), float(named["seconds"]), **latency)
    except (KeyError, ValueError) as error:
        raise Unreadable("no figures in the output") from error
