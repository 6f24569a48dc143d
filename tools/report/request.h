/* What the command line of `ownline report` asks for. */
#ifndef OWN_REPORT_REQUEST_H
#define OWN_REPORT_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

struct own_report_request {
	char **paths;
	size_t count;
	bool json;
};

/* Returns the exit status. */
int own_report_main(const struct own_report_request *request);

#endif
