/* Published figures, and the machines that they were measured on. */
#ifndef OWN_MODEL_PUBLISHED_H
#define OWN_MODEL_PUBLISHED_H

#include "kernel/model/model.h"

#define MODEL_CALIBRATED 3

struct calibration {
	const char *name;
	size_t offset;
	const char *row; /* the figure that it is found from */
};

struct machine {
	const char *name;
	const char *help;
	struct model_parameters parameters;
	double remote_ratio; /* a line from another node, of one from the own; 0: one node */
	struct calibration calibrated[MODEL_CALIBRATED];
};

/* One published rate. */
struct row {
	const char *name;
	const char *what;
	const char *machine;
	enum model_workload workload;
	const char *design;
	double threads, buckets; /* 0: the machine's */
	bool shared;
	double published; /* operations per second: of a thread, or of all for chat */
};

extern struct machine model_machines[];
extern const unsigned model_machine_count;
struct machine *model_find_machine(const char *name);
void model_fill_machine(const struct machine *machine, struct model_parameters *parameters);

extern const struct row model_rows[];
extern const unsigned model_row_count;
const struct row *model_find_row(const char *name);
bool model_row_is_calibration(const struct row *row);
/* The model's figure; ends the program at a fault of the model. */
double model_row_run(const struct row *row, uint64_t seed);

/* predict.c: what the model says where nothing was published, as Markdown. */
void model_predict(uint64_t seed);
#endif
