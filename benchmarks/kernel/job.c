/* A job's text, taken apart. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

void own_job_parse(struct own_job *job, char *text)
{
	char *rest = NULL;
	char *word = strtok_r(text, ",", &rest);

	memset(job, 0, sizeof(*job));
	if (!word)
		own_usage("an empty job; --help lists the tests");
	job->test = word;
	while ((word = strtok_r(NULL, ",", &rest)) != NULL) {
		char *equals = strchr(word, '=');

		if (!equals || equals == word || !equals[1])
			own_usage("%s: a parameter is KEY=VALUE, not '%s'", job->test, word);
		if (job->count == OWN_MAX_PARAMETERS)
			own_usage("%s: more than %d parameters", job->test, OWN_MAX_PARAMETERS);
		*equals = '\0';
		job->keys[job->count] = word;
		job->values[job->count++] = equals + 1;
	}
}

void own_job_allow(const struct own_job *job, const char *const *keys)
{
	for (unsigned i = 0; i < job->count; i++) {
		unsigned known = 0;

		while (keys[known] && strcmp(keys[known], job->keys[i]) != 0)
			known++;
		if (!keys[known])
			own_usage("%s has no parameter '%s'; see --help", job->test, job->keys[i]);
	}
}

const char *own_job_text(const struct own_job *job, const char *key, const char *otherwise)
{
	for (unsigned i = 0; i < job->count; i++) {
		if (strcmp(job->keys[i], key) == 0)
			return job->values[i];
	}
	return otherwise;
}

double own_job_number(const struct own_job *job, const char *key, double otherwise, double least,
		      double most)
{
	const char *text = own_job_text(job, key, NULL);
	char *end;
	double value;

	if (!text)
		return otherwise;
	value = strtod(text, &end);
	if (*end || end == text || !(value >= least && value <= most))
		own_usage("%s: %s is from %g to %g, not '%s'", job->test, key, least, most, text);
	return value;
}

struct own_hash own_job_hash(const struct own_job *job)
{
	struct own_hash hash = {.text = own_job_text(job, "hash", "auto")};

	if (strcmp(hash.text, "auto") == 0) {
		hash.kind = OWN_HASH_AUTO;
	} else if (strcmp(hash.text, "none") == 0) {
		hash.kind = OWN_HASH_NONE;
	} else if (strcmp(hash.text, "global") == 0) {
		hash.kind = OWN_HASH_GLOBAL;
	} else {
		hash.kind = OWN_HASH_SLOTS;
		hash.slots = (unsigned)own_job_number(job, "hash", 0, 2, 1 << 20);
		if (hash.slots & (hash.slots - 1))
			own_usage("%s: hash is auto, none, global or a power of two, not '%s'",
				  job->test, hash.text);
	}
	return hash;
}
