"""The real programs: what each needs, how it is started, and what its load is."""

import fnmatch
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from real import launch, parse

SOURCES = Path(__file__).resolve().parent


@dataclass(frozen=True, eq=False)
class Program:
    """name: 'family: load'. needs: (program or file, Debian package) each."""
    name: str
    needs: tuple
    parse: object  # (output of the load, seconds) -> figures, see parse.py
    about: str = ""
    environment: dict = field(default_factory=dict)
    start_up: float = 0.3  # seconds that a run takes besides its load, on a quiet machine

    def expected(self, seconds):
        return seconds + self.start_up

    @property
    def short(self):
        return self.needs[0][0].rsplit("/", 1)[-1]

    @property
    def family(self):
        return self.name.split(":")[0]

    def missing(self, bin_dir):
        """Packages to install, or targets to build."""
        return [package for what, package in self.needs
                if not shutil.which(what) and not Path(what).exists()
                and not (bin_dir / what).exists()]

    def prepare(self, launcher, folder, bin_dir):
        """Fills `folder` once, for all runs."""


@dataclass(frozen=True, eq=False)
class Alone(Program):
    words: object = None  # (prepared, folder, seconds) -> command line

    def measure(self, launcher, peer, prepared, folder, counted):
        return launcher.alone(self, peer, prepared, folder, counted)

    def command(self, prepared, folder, seconds):
        return [str(word) for word in self.words(prepared, folder, seconds)]


@dataclass(frozen=True, eq=False)
class Built(Alone):
    """A program of this folder."""

    def prepare(self, launcher, folder, bin_dir):
        shutil.copy(bin_dir / self.needs[0][0], folder / self.short)


@dataclass(frozen=True, eq=False)
class Java(Alone):
    def prepare(self, launcher, folder, bin_dir):
        launcher.call(["javac", "-d", str(folder), str(SOURCES / "JavaService.java")],
                      launch.Peer("glibc").environment(), folder, "javac")


@dataclass(frozen=True, eq=False)
class Served(Program):
    def measure(self, launcher, peer, prepared, folder, counted):
        return launcher.served(self, peer, prepared, folder, counted)

    def address(self, folder):
        return folder / "socket"


@dataclass(frozen=True, eq=False)
class MariaDB(Served):
    start_up: float = 1.7  # with a second of warm-up
    test: str = ""
    threads: int = 16

    def prepare(self, launcher, folder, bin_dir):
        data = folder / "data"
        plain = launch.Peer("glibc").environment()
        launcher.call(["mariadb-install-db", "--no-defaults", f"--datadir={data}",
                       "--auth-root-authentication-method=normal", "--skip-test-db", *_as_root()],
                      plain, folder, "mariadb-install-db")
        start = folder / "start.sql"
        start.write_text("CREATE DATABASE IF NOT EXISTS sbtest;\n", encoding="ascii")
        address = self.address(folder)
        log = folder / "server.log"
        command = self._server(data, folder, address) + [f"--init-file={start}"]
        with launch.started(command, plain, folder, log) as server:
            launch.until(lambda: launch.answers(address), server, log, "mariadbd")
            launcher.call(self._sysbench(address, "prepare"), plain, folder, "sysbench prepare")

    def server(self, prepared, folder, address):
        # A copy for each run, so that all begin with the same tables.
        shutil.copytree(prepared / "data", folder / "data")
        return self._server(folder / "data", folder, address)

    @staticmethod
    def _server(data, folder, address):
        return ["mariadbd", "--no-defaults", f"--datadir={data}", f"--socket={address}",
                f"--tmpdir={folder}", "--skip-networking", "--thread-cache-size=64",
                "--innodb-log-file-size=64M", "--innodb-buffer-pool-size=256M",
                "--innodb-flush-log-at-trx-commit=2", *_as_root()]

    def _sysbench(self, address, *words):
        return ["sysbench", self.test, f"--mysql-socket={address}", "--mysql-user=root",
                "--db-driver=mysql", "--tables=4", "--table-size=10000",
                f"--threads={self.threads}", "--histogram=on", *words]

    def load(self, folder, address, seconds):
        return self._sysbench(address, f"--time={max(1, round(seconds))}", "run")


def _as_root():
    return ["--user=root"] if os.geteuid() == 0 else []


@dataclass(frozen=True, eq=False)
class Memcached(Served):
    start_up: float = 1.3  # with a second of warm-up

    def address(self, folder):
        return launch.free_port()  # memcaslap knows no other sockets

    def server(self, prepared, folder, address):
        return ["memcached", "-l", "127.0.0.1", "-p", str(address), "-U", "0", "-t", "4", "-m", "64",
                *(["-u", "root"] if os.geteuid() == 0 else [])]

    def load(self, folder, address, seconds):
        return ["memcaslap", f"--servers=127.0.0.1:{address}", "--threads=2", "--concurrency=64",
                f"--time={max(1, round(seconds))}s", "--stat_freq=1s", "--fixed_size=100"]


@dataclass(frozen=True, eq=False)
class Redis(Served):
    start_up: float = 1.5  # with half a second of warm-up
    pipeline: int = 1
    rate: int = 100000  # requests per second and test, about: it ends by their number

    def server(self, prepared, folder, address):
        return ["redis-server", "--port", "0", "--unixsocket", str(address), "--dir", str(folder),
                "--save", "", "--appendonly", "no", "--io-threads", "2",
                "--io-threads-do-reads", "yes", "--daemonize", "no"]

    def requests(self, seconds):
        return int(self.rate * seconds / 2)

    def load(self, folder, address, seconds):
        return ["redis-benchmark", "-s", str(address), "--csv", "-c", "32", "--threads", "2",
                "-n", str(self.requests(seconds)), "-P", str(self.pipeline), "-r", "100000",
                "-t", "set,get"]


def _redis(name, pipeline, rate, about):
    return Redis(name, (("redis-server", "redis-server"), ("redis-benchmark", "redis-tools")),
                 lambda text, seconds: parse.redis_benchmark(text, int(rate * seconds / 2)),
                 about=about, pipeline=pipeline, rate=rate)


@dataclass(frozen=True, eq=False)
class RocksDB(Alone):
    def prepare(self, launcher, folder, bin_dir):
        launcher.call(["db_bench", f"--db={folder / 'db'}", "--benchmarks=fillseq",
                       "--num=200000"], launch.Peer("glibc").environment(), folder, "db_bench")


def _rocksdb(name, benchmark, about, *words):
    def command(prepared, folder, seconds):
        if "--use_existing_db=1" in words:
            shutil.copytree(prepared / "db", folder / "db")
        return ["db_bench", f"--db={folder / 'db'}", f"--benchmarks={benchmark}", "--histogram=1",
                f"--duration={seconds}", *words]

    return RocksDB(name, (("db_bench", "rocksdb-tools"),),
                   lambda text, _: parse.db_bench(text, benchmark), about, words=command)


def _cache(rate):
    def command(prepared, folder, seconds):
        return ["cache_bench", "-threads=8", "-num_shard_bits=2", "-cache_size=67108864",
                f"-ops_per_thread={int(rate * seconds / 8)}"]

    return Alone("RocksDB: block cache", (("cache_bench", "rocksdb-tools"),),
                 lambda text, _: parse.cache_bench(text),
                 "cache_bench, 8 threads look up and insert in 4 shards, each with a mutex. An operation "
                 "is one of these.", words=command)


def _sysbench_threads():
    return Alone("sysbench: threads", (("sysbench", "sysbench"),),
                 lambda text, _: parse.sysbench(text),
                 "16 threads; an event locks, yields and unlocks 100 times, on one of 4 mutexes.",
                 words=lambda prepared, folder, seconds: [
                     "sysbench", "threads", "--threads=16", "--thread-yields=100",
                     "--thread-locks=4", f"--time={seconds}", "--histogram=on", "run"])


def _sysbench_mutex(rate):
    def locks(seconds):
        return int(rate * seconds / 8)

    return Alone("sysbench: mutex", (("sysbench", "sysbench"),),
                 lambda text, seconds: parse.sysbench_mutex(text, locks(seconds)),
                 "8 threads lock one of 4 mutexes at random, with 50 turns of an empty loop between. An "
                 "operation is a lock and unlock.",
                 words=lambda prepared, folder, seconds: [
                     "sysbench", "mutex", "--threads=8", "--mutex-num=4", "--mutex-loops=50",
                     f"--mutex-locks={locks(seconds)}", "run"])


def _stress_ng(stressor, count, about):
    return Alone(f"stress-ng: {stressor}", (("stress-ng", "stress-ng"),),
                 lambda text, _: parse.stress_ng(text, stressor), about,
                 words=lambda prepared, folder, seconds: [
                     "stress-ng", f"--{stressor}", count, "--timeout", f"{seconds}s",
                     "--metrics-brief", "--temp-path", folder])


def _java(mode, about):
    return Java(f"OpenJDK: {mode}", (("java", "openjdk-17-jdk-headless"),
                                     ("javac", "openjdk-17-jdk-headless")),
                lambda text, _: parse.own(text), about,
                words=lambda prepared, folder, seconds: [
                    "java", "-XX:+UseSerialGC", "-Xmx256m", "-cp", prepared, "JavaService", mode, 8,
                    seconds])


def _cxx(mode, about):
    return Built(f"C++: {mode}", (("own-real-cxx", "the target own-real-cxx"),),
                 lambda text, _: parse.own(text), about,
                 words=lambda prepared, folder, seconds: [
                     prepared / "own-real-cxx", mode, 8, seconds])


def _jemalloc():
    return Built("jemalloc: malloc storm",
                 (("own-real-malloc", "the target own-real-malloc"),
                  ("/usr/lib/x86_64-linux-gnu/libjemalloc.so.2", "libjemalloc2")),
                 lambda text, _: parse.own(text),
                 "8 threads allocate blocks of 16 to 20 000 bytes, exchange them and free each other's; "
                 "jemalloc with one arena and without caches of the threads, so that its mutexes contend. "
                 "An operation is a block exchanged.",
                 environment={"LD_PRELOAD": "libjemalloc.so.2",
                              "MALLOC_CONF": "narenas:1,tcache:false"},
                 words=lambda prepared, folder, seconds: [
                     prepared / "own-real-malloc", 8, seconds])


MARIADB = (("mariadbd", "mariadb-server-core"), ("mariadb-install-db", "mariadb-server-core"),
           ("my_print_defaults", "mariadb-client-core"), ("sysbench", "sysbench"))


def _mariadb(load, test, about):
    return MariaDB(f"MariaDB: {load}", MARIADB, lambda text, _: parse.sysbench(text),
                   f"sysbench {test}, 16 connections by a Unix socket, 4 tables of 10 000 rows; a log "
                   f"flush a second. {about}", test=test)


def every():
    return [
        _mariadb("point select", "oltp_point_select", "An operation is a SELECT by primary key."),
        _mariadb("read-write", "oltp_read_write", "An operation is a transaction of 20 statements."),
        _mariadb("update-index", "oltp_update_index", "An operation is an UPDATE of an indexed column."),
        Memcached("memcached: get and set", (("memcached", "memcached"),
                                            ("memcaslap", "libmemcached-tools")),
                  lambda text, _: parse.memcaslap(text),
                  "memcaslap, 64 connections by TCP; memcached with 4 threads. Nine gets to a set."),
        _redis("redis: one by one", 1, 100000,
               "redis-benchmark set and get, 32 connections by a Unix socket; redis with 2 I/O threads."),
        _redis("redis: pipelined", 16, 400000,
               "The same, each connection with 16 requests under way."),
        _rocksdb("RocksDB: readwhilewriting", "readwhilewriting",
                 "db_bench: 8 threads read at random while one writes 2 MB a second: what it has written slows "
                 "the readers, so it may not run free. An operation is a read.",
                 "--use_existing_db=1", "--num=200000", "--threads=8",
                 "--benchmark_write_rate_limit=2000000"),
        _rocksdb("RocksDB: fillrandom", "fillrandom",
                 "db_bench: 8 threads write at random; they form groups whose leader writes for all.",
                 "--num=10000000", "--threads=8"),
        _cache(400000),
        _java("monitor", "8 threads change one map in a synchronized block."),
        _java("queue", "4 threads put into an ArrayBlockingQueue of 64, 4 take."),
        _sysbench_mutex(16000000),
        _sysbench_threads(),
        _stress_ng("futex", 8, "Pairs of processes wake each other by futex calls of their own: no lock "
                   "library is involved, the ratio shows the noise."),
        # One process: of several, the first threads to become SCHED_FIFO keep the others from
        # being made, and the rate says how many there were.
        _stress_ng("mutex", 1, "Two threads pass a normal mutex to and fro, as root in SCHED_FIFO with "
                   "another priority at each step, and yield while they hold it."),
        _stress_ng("sem", 8, "POSIX semaphores, which ownline leaves alone: the ratio shows the noise."),
        _stress_ng("pthread", 2, "Threads are made, meet at a mutex, a condition and a spin lock, and end."),
        _cxx("cache", "cxx_service: 8 threads, a map with eviction of the least recently used entry behind "
             "one std::mutex. An operation is a lookup, and a store if it misses."),
        _cxx("queue", "cxx_service: 4 threads hand jobs to 4 others through a deque behind a std::mutex and "
             "two std::condition_variables. An operation is a job put or taken."),
        _jemalloc(),
    ]


def chosen(pattern):
    """As scripts/bench: * and ?, or a text that the name holds."""
    programs = every()
    if pattern:
        if not any(letter in pattern for letter in "*?["):
            pattern = f"*{pattern}*"
        programs = [program for program in programs
                    if fnmatch.fnmatchcase(program.name.lower(), pattern.lower())]
    return programs
