import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * JavaService monitor|queue THREADS SECONDS. What the virtual machine makes of Java's locks: it spins, and parks
 * threads by a pthread mutex and condition variable of their own.
 *
 * <p>monitor: all threads change one map in a synchronized block. queue: half of the threads put into an
 * ArrayBlockingQueue of 64, the other half takes. An operation is such a change, put or take; every 16th is timed.
 */
public class JavaService {
    private static final int EVERY = 16;
    private static volatile boolean over;

    private interface Work {
        void once(int number, int turn) throws InterruptedException;
    }

    private static final class Worker extends Thread {
        private final int number;
        private final Work work;
        private long operations;
        private double[] micros = new double[1 << 16];
        private int timed;

        Worker(int number, Work work) {
            this.number = number;
            this.work = work;
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                for (int turn = 0; !over; turn++) {
                    long began = turn % EVERY == 0 ? System.nanoTime() : 0;
                    work.once(number, turn);
                    if (began != 0) {
                        if (timed == micros.length) {
                            micros = Arrays.copyOf(micros, 2 * timed);
                        }
                        micros[timed++] = (System.nanoTime() - began) / 1e3;
                    }
                    operations++;
                }
            } catch (InterruptedException end) {
                // The time is up while it waited.
            }
        }
    }

    private static Work monitor() {
        Map<Integer, Integer> shared = new HashMap<>();
        return (number, turn) -> {
            int work = turn;
            for (int i = 0; i < 20; i++) {
                work = work * 31 + number;
            }
            synchronized (shared) {
                shared.merge(work & 1023, 1, Integer::sum);
            }
        };
    }

    private static Work queue() {
        ArrayBlockingQueue<Integer> shared = new ArrayBlockingQueue<>(64);
        return (number, turn) -> {
            if (number % 2 == 0) {
                shared.put(turn);
            } else {
                shared.take();
            }
        };
    }

    public static void main(String[] arguments) throws InterruptedException {
        if (arguments.length != 3 || !Arrays.asList("monitor", "queue").contains(arguments[0])) {
            System.err.println("usage: JavaService monitor|queue THREADS SECONDS");
            System.exit(2);
        }
        Work work = arguments[0].equals("monitor") ? monitor() : queue();
        ArrayDeque<Worker> workers = new ArrayDeque<>();
        for (int i = 0; i < Integer.parseInt(arguments[1]); i++) {
            workers.add(new Worker(i, work));
        }
        long began = System.nanoTime();
        workers.forEach(Thread::start);
        Thread.sleep((long) (Double.parseDouble(arguments[2]) * 1000));
        over = true;
        double seconds = (System.nanoTime() - began) / 1e9;
        workers.forEach(Thread::interrupt);
        for (Worker worker : workers) {
            worker.join();
        }
        double[] all = workers.stream().flatMapToDouble(w -> Arrays.stream(w.micros, 0, w.timed)).sorted().toArray();
        System.out.printf("operations %d seconds %.4f mean_us %.3f p95_us %.3f p99_us %.3f%n",
            workers.stream().mapToLong(w -> w.operations).sum(), seconds, Arrays.stream(all).average().orElse(0),
            all[(int) (0.95 * (all.length - 1))], all[(int) (0.99 * (all.length - 1))]);
    }
}
