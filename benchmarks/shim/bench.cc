#include "shim/bench.h"

#include <string>
#include <vector>

#include <benchmark/benchmark.h>

// C sees the state of Google Benchmark under an opaque name.
struct own_bench_state : benchmark::State {
};

static benchmark::State *native(own_bench_state *state)
{
	return reinterpret_cast<benchmark::State *>(state);
}

static const benchmark::State *native(const own_bench_state *state)
{
	return reinterpret_cast<const benchmark::State *>(state);
}

namespace
{
// Setup and teardown of Google Benchmark 1.7 are plain functions, which cannot know their
// benchmark: thread 0 calls ours instead, before the threads meet and after they have met.
class Entry
{
      public:
	explicit Entry(const own_bench &bench) : bench_(bench)
	{
	}

	void operator()(benchmark::State &state) const
	{
		own_bench_shape shape{};

		shape.threads = state.threads();
		for (size_t i = 0; i < bench_.argument_count; i++)
			shape.arguments[i] = state.range(i);
		if (bench_.setup && state.thread_index() == 0)
			bench_.setup(&shape, bench_.context);
		bench_.run(reinterpret_cast<own_bench_state *>(&state), bench_.context);
		if (bench_.teardown && state.thread_index() == 0)
			bench_.teardown(&shape, bench_.context);
	}

      private:
	own_bench bench_;
};
} // namespace

extern "C" {

void own_bench_register(const own_bench *bench)
{
	auto *made = benchmark::RegisterBenchmark(bench->name, Entry(*bench));

	for (size_t i = 0; i < bench->argument_sets; i++)
		made->Args({bench->arguments[i], bench->arguments[i] + bench->argument_count});
	if (bench->argument_names)
		made->ArgNames(
		    {bench->argument_names, bench->argument_names + bench->argument_count});
	for (size_t i = 0; i < bench->thread_counts; i++)
		made->Threads(bench->threads[i]);
	if (bench->manual_time)
		made->UseManualTime();
	if (bench->real_time)
		made->UseRealTime();
}

int own_bench_main(int argc, char **argv)
{
	benchmark::Initialize(&argc, argv);
	if (benchmark::ReportUnrecognizedArguments(argc, argv))
		return 2;
	benchmark::RunSpecifiedBenchmarks();
	benchmark::Shutdown();
	return 0;
}

bool own_bench_keep_running(own_bench_state *state, int64_t batch)
{
	return native(state)->KeepRunningBatch(batch);
}

int64_t own_bench_argument(const own_bench_state *state, size_t index)
{
	return native(state)->range(index);
}

int own_bench_thread_index(const own_bench_state *state)
{
	return native(state)->thread_index();
}

int own_bench_thread_count(const own_bench_state *state)
{
	return native(state)->threads();
}

int64_t own_bench_iterations(const own_bench_state *state)
{
	return native(state)->iterations();
}

void own_bench_pause(own_bench_state *state)
{
	native(state)->PauseTiming();
}

void own_bench_resume(own_bench_state *state)
{
	native(state)->ResumeTiming();
}

void own_bench_set_time(own_bench_state *state, double seconds)
{
	native(state)->SetIterationTime(seconds);
}

void own_bench_set_counter(own_bench_state *state, const char *name, double value, unsigned flags)
{
	using benchmark::Counter;
	int native_flags = Counter::kDefaults;

	if (flags & OWN_BENCH_PER_SECOND)
		native_flags |= Counter::kIsRate;
	if (flags & OWN_BENCH_PER_ITERATION)
		native_flags |= Counter::kAvgIterations;
	if (flags & OWN_BENCH_THREAD_MEAN)
		native_flags |= Counter::kAvgThreads;
	native(state)->counters[name] = Counter(value, static_cast<Counter::Flags>(native_flags));
}

void own_bench_set_items(own_bench_state *state, int64_t items)
{
	native(state)->SetItemsProcessed(items);
}

void own_bench_skip(own_bench_state *state, const char *reason)
{
	native(state)->SkipWithError(reason);
}
}
