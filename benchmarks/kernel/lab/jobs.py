"""What is measured: the jobs of own-kernel-bench, and the names that their results get."""

import json
import re
import statistics

from .failure import Failure

HASHES = ("global", "16", "256", "4096")
EXACT = ("wait-mismatched", "wait-expired", "wake-nobody", "bounce")
# Workloads of own-workload, over glibc's locks and over ours.
WORKLOADS = ("mutex 4 50 100", "sleeping 4", "handoff 4", "queue 2 2 4 1", "broadcast 16")
LIBRARIES = ("glibc", "ownline")
CONTENDED_WORKLOAD = "mutex 8 50 100"
# (name, parameters of "contend")
CONTENTION = (("one word, all mismatch", "words=same"),
              ("one word, half mismatch", "words=same,mismatched=50"),
              ("a word per thread, all mismatch", "words=apart"))
# Rows of the public discussions that only a real machine can answer: (name, own-workload's words).
HASH_ROWS = (("1024 words a thread, two buckets", "hash {cpus} 1024 100 0 2"),
             ("1024 words a thread, global hash", "hash {cpus} 1024 100 0 1"),
             ("1024 words a thread, shared", "hash {cpus} 1024 100 1"),
             ("1024 words a thread, the kernel's own choice", "hash {cpus} 1024 100"),
             ("1024 words a thread, 1024 buckets", "hash {cpus} 1024 100 0 1024"),
             ("1024 words a thread, one wait in ten mismatches", "hash {cpus} 1024 10"))


class Job:
    """name and variant go into the results; words go to the benchmark."""

    def __init__(self, name, words, variant=None):
        self.name = name
        self.words = words
        self.variant = variant  # None: that of the kernel


def _workload(name, library, seconds, words=None):
    run = (words or name).replace(" ", "+")
    return Job(f"{name} ({library})" if words is None else name,
               f"workload,library={library},run={run},seconds={seconds}")


def counted(private_hash, workloads=True):
    """For the guest that counts instructions."""
    jobs = [Job("syscall", "syscall")] + [Job(name, name) for name in EXACT]
    if private_hash:
        jobs += [Job(name, f"{name},hash={slots}", f"private-hash-{slots}")
                 for slots in HASHES for name in EXACT]
    if workloads:
        jobs += [_workload(name, library, 0.1) for name in WORKLOADS for library in LIBRARIES]
    return jobs


def contended(private_hash, seconds=0.3):
    """For a guest with several CPUs."""
    jobs = [Job(name, f"contend,{words},seconds={seconds}") for name, words in CONTENTION]
    if private_hash:
        jobs += [Job(name, f"contend,{words},seconds={seconds},hash={slots}",
                     f"private-hash-{slots}")
                 for slots in HASHES for name, words in CONTENTION[2:]]
    return jobs + [_workload(CONTENDED_WORKLOAD, library, seconds) for library in LIBRARIES]


def bare(cpus, private_hash, seconds=0.5):
    """For a real machine: all of it, up to as many threads as it has CPUs."""
    jobs = counted(private_hash=True, workloads=False)
    threads = sorted({1 << power for power in range(cpus.bit_length())} | {cpus})
    jobs += [Job(f"{name}, {count} threads", f"contend,{words},threads={count},seconds={seconds}")
             for name, words in CONTENTION for count in threads]
    jobs += [Job(f"{name}, {cpus} threads",
                 f"contend,{words},threads={cpus},seconds={seconds},hash={slots}",
                 f"private-hash-{slots}") for slots in HASHES for name, words in CONTENTION[2:]]
    jobs += [_workload(f"{name}, {cpus} threads", "glibc", seconds, words.format(cpus=cpus))
             for name, words in HASH_ROWS if private_hash or len(words.split()) < 6]
    hot = f"mutex {max(2, cpus)} 50 100"
    return jobs + [_workload(name, library, seconds) for name in (*WORKLOADS, hot)
                   for library in LIBRARIES]


def parse(line):
    """The fields of a RESULT line; the rest of the line after json= is one."""
    text, _, rest = line.partition(" json=")
    fields = dict(re.findall(r"([a-z_]+)=(\S+)", text))
    if rest:
        fields["json"] = json.loads(rest)
    return fields


def _entry(job, fields, variant, instructions):
    entry = {"name": job.name, "variant": job.variant or variant}
    if "json" not in fields:
        entry.update(unit="instructions" if instructions and fields["unit"] == "ns"
                     else fields["unit"], value=float(fields["value"]))
        entry.update({key: float(fields[key]) for key in ("least", "most") if key in fields})
    elif instructions:
        # CPU time in nanoseconds: what the threads executed, without the idle time between.
        entry.update(unit="instructions", value=fields["json"]["cpu_seconds_per_million"] * 1e3)
    else:
        entry.update(unit="ops/s", value=fields["json"]["ops_per_second"])
    entry["better"] = "higher" if entry["unit"] == "ops/s" else "lower"
    return entry


def results(jobs, lines, variant, instructions, log):
    """(Entries, names of what the kernel cannot do), in the order of the jobs."""
    printed = [parse(line) for line in lines if line.startswith("RESULT ")]
    if len(printed) != len(jobs):
        raise Failure(f"{len(printed)} results for {len(jobs)} jobs; log: {log}")
    entries, skipped = {}, []
    for job, fields in zip(jobs, printed):
        if "skipped" in fields:
            skipped.append({"name": job.name, "variant": job.variant or variant,
                            "why": fields["skipped"]})
            continue
        entry = _entry(job, fields, variant, instructions)
        entries.setdefault((entry["name"], entry["variant"]), []).append(entry)
    return [_median(group) for group in entries.values()], skipped


def _median(group):
    """One entry of the same job's rounds."""
    entry = dict(group[0])
    if len(group) > 1:
        values = [one["value"] for one in group]
        entry.update(value=statistics.median(values), least=min(values), most=max(values),
                     rounds=len(values))
    return entry
