import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Contended monitors, locks and queues, with a collector that stops all threads now and then. */
public class Contended {
    private static final int THREADS = 8;
    private static final int TURNS = 20000;
    private static long underMonitor;
    private static long underLock;
    private static int turn;

    interface Work {
        void run(int number) throws Exception;
    }

    private static void inThreads(int count, Work work) throws Exception {
        List<Throwable> errors = new ArrayList<>();
        Thread[] threads = new Thread[count];
        for (int i = 0; i < count; i++) {
            int number = i;
            threads[i] = new Thread(() -> {
                try {
                    work.run(number);
                } catch (Throwable error) {
                    synchronized (errors) {
                        errors.add(error);
                    }
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (!errors.isEmpty()) {
            throw new IllegalStateException(errors.get(0));
        }
    }

    private static void check(String name, long got, long wanted) {
        if (got != wanted) {
            System.err.println(name + ": " + got + ", not " + wanted);
            System.exit(1);
        }
    }

    private static void monitors() throws Exception {
        Object monitor = new Object();
        inThreads(THREADS, number -> {
            List<byte[]> garbage = new ArrayList<>();
            for (int i = 0; i < TURNS; i++) {
                synchronized (monitor) {
                    underMonitor++;
                }
                if (i % 500 == 0) {
                    garbage.add(new byte[10000]);
                }
            }
        });
        check("synchronized", underMonitor, (long) THREADS * TURNS);

        inThreads(4, number -> {
            for (int i = 0; i < 300; i++) {
                synchronized (monitor) {
                    while (turn % 4 != number) {
                        if (number == 0) {
                            monitor.wait(1);
                        } else {
                            monitor.wait();
                        }
                    }
                    turn++;
                    monitor.notifyAll();
                }
            }
        });
        check("wait and notify", turn, 1200);
    }

    private static void locks() throws Exception {
        ReentrantLock lock = new ReentrantLock();
        Condition even = lock.newCondition();
        inThreads(THREADS, number -> {
            for (int i = 0; i < TURNS; i++) {
                if (i % 3 == 0) {
                    while (!lock.tryLock(100, TimeUnit.MICROSECONDS)) {
                        Thread.yield();
                    }
                } else {
                    lock.lock();
                }
                try {
                    underLock++;
                    if (i % 1000 == 0) {
                        even.signalAll();
                        even.await(50, TimeUnit.MICROSECONDS);
                    }
                } finally {
                    lock.unlock();
                }
            }
        });
        check("ReentrantLock", underLock, (long) THREADS * TURNS);
    }

    private static void executors() throws Exception {
        BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(4);
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        List<Future<Long>> sums = new ArrayList<>();
        for (int i = 0; i < THREADS / 2; i++) {
            Callable<Long> consume = () -> {
                long sum = 0;
                for (int n = 0; n < 2000; n++) {
                    sum += queue.take();
                }
                return sum;
            };
            Callable<Long> produce = () -> {
                for (int n = 0; n < 2000; n++) {
                    queue.put(n);
                }
                return 0L;
            };
            sums.add(pool.submit(consume));
            sums.add(pool.submit(produce));
        }
        long sum = 0;
        for (Future<Long> part : sums) {
            sum += part.get(60, TimeUnit.SECONDS);
        }
        pool.shutdown();
        check("executor", sum, THREADS / 2 * (1999L * 2000 / 2));
        if (!pool.awaitTermination(30, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the pool does not end");
        }
    }

    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < 3; i++) {
            underMonitor = underLock = turn = 0;
            monitors();
            locks();
            executors();
            System.gc();
        }
        System.out.println("java: monitors, locks and executors are right");
    }
}
