#include "kernel/model/published.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first series' number of buckets was not published with the table; the kernel's least is 16.
 */
#define FIRST_SERIES_BUCKETS 16

const struct row model_rows[] = {
    {"S1.two.base", "`-b 2`, before", "guest16", .design = "private", .buckets = 2,
     .published = 303410},
    {"S1.two.A", "`-b 2`, fix A", "guest16", .design = "precheck", .buckets = 2,
     .published = 4392639},
    {"S1.global.base", "`-b 0`, before", "guest16", .design = "global-hash", .published = 2776498},
    {"S1.global.A", "`-b 0`, fix A", "guest16", .design = "precheck-global", .published = 4397887},
    {"S1.shared.base", "`-b 0 -S`, before", "guest16", .design = "global-hash", .shared = true,
     .published = 1990412},
    {"S1.shared.A", "`-b 0 -S`, fix A", "guest16", .design = "precheck-global", .shared = true,
     .published = 2727487},

    {"S3.global.1", "1 thread, global hash", "host80", .design = "global-hash", .threads = 1,
     .published = 3386265},
    {"S3.global.10", "10 threads, global hash", "host80", .design = "global-hash", .threads = 10,
     .published = 1972069},
    {"S3.global.40", "40 threads, global hash", "host80", .design = "global-hash", .threads = 40,
     .published = 1580497},
    {"S3.global.80", "80 threads, global hash", "host80", .design = "global-hash", .threads = 80,
     .published = 1555482},
    {"S3.private.1", "1 thread, first series", "host80", .design = "private-shared-refs",
     .threads = 1, .buckets = FIRST_SERIES_BUCKETS, .published = 3266560},
    {"S3.private.10", "10 threads, first series", "host80", .design = "private-shared-refs",
     .threads = 10, .buckets = FIRST_SERIES_BUCKETS, .published = 821565},
    {"S3.private.40", "40 threads, first series", "host80", .design = "private-shared-refs",
     .threads = 40, .buckets = FIRST_SERIES_BUCKETS, .published = 277900},
    {"S3.private.80", "80 threads, first series", "host80", .design = "private-shared-refs",
     .threads = 80, .buckets = FIRST_SERIES_BUCKETS, .published = 150450},
    {"S3.shared.80", "80 threads, shared futexes", "host80", .design = "global-hash", .threads = 80,
     .shared = true, .published = 590144},

    {"S4.gb200.base", "GB200, 1024 buckets, before", "gb200", .design = "private",
     .published = 1149586},
    {"S4.gb200.lean", "GB200, 1024 buckets, fix D", "gb200", .design = "private-lean",
     .published = 1764233},
    {"S4.epyc.base", "EPYC, 1024 buckets, before", "epyc176", .design = "private",
     .published = 1394938},
    {"S4.epyc.apart", "EPYC, 1024 buckets, chain head apart", "epyc176", .design = "private-apart",
     .published = 1616781},
    {"S4.skl.16k.base", "112 threads, 16384 buckets, before", "skl112", .design = "global-hash",
     .published = 1571857},
    {"S4.skl.16k.lean", "112 threads, 16384 buckets, fix D", "skl112", .design = "global-lean",
     .published = 1641435},
    {"S4.skl.512.base", "112 threads, 512 buckets, before", "skl112", .design = "private",
     .buckets = 512, .published = 646390},
    {"S4.skl.512.lean", "112 threads, 512 buckets, fix D", "skl112", .design = "private-lean",
     .buckets = 512, .published = 903371},
    {"S4.skl.256.base", "112 threads, 256 buckets, before", "skl112", .design = "private",
     .buckets = 256, .published = 464395},
    {"S4.skl.256.lean", "112 threads, 256 buckets, fix D", "skl112", .design = "private-lean",
     .buckets = 256, .published = 587014},

    {"S5.volano.global", "Volano, one lock", "xeon4", WORKLOAD_CHAT, "global2003",
     .published = 15479},
    {"S5.volano.split", "Volano, fix E", "xeon4", WORKLOAD_CHAT, "packed2003", .published = 15615},
};
const unsigned model_row_count = sizeof(model_rows) / sizeof(model_rows[0]);

const struct row *model_find_row(const char *name)
{
	for (unsigned i = 0; i < model_row_count; i++) {
		if (strcmp(model_rows[i].name, name) == 0)
			return &model_rows[i];
	}
	return NULL;
}

bool model_row_is_calibration(const struct row *row)
{
	const struct machine *machine = model_find_machine(row->machine);

	for (unsigned i = 0; i < MODEL_CALIBRATED && machine->calibrated[i].row; i++) {
		if (strcmp(machine->calibrated[i].row, row->name) == 0)
			return true;
	}
	return false;
}

double model_row_run(const struct row *row, uint64_t seed)
{
	struct model_parameters p;
	struct model_result result;
	const char *fault;

	model_fill_machine(model_find_machine(row->machine), &p);
	p.seed = (double)seed;
	p.shared = row->shared;
	if (row->threads > 0)
		p.threads = row->threads;
	if (row->buckets > 0)
		p.buckets = row->buckets;
	if (row->workload == WORKLOAD_CHAT) {
		p.warm_up = 50;
		p.operations = 1000;
	} else if (p.buckets <= 1024) {
		/* Few buckets are all warm soon. */
		p.warm_up = 256;
		p.operations = 256;
	}
	fault = model_run(&p, model_find_design(row->design), row->workload, &result);
	if (fault) {
		fprintf(stderr, "own-bucket-model: %s: %s\n", row->name, fault);
		exit(1);
	}
	return row->workload == WORKLOAD_CHAT ? result.total : result.per_thread;
}
