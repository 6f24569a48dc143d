/* ownline report: reads the files and writes the table. */
#include "tools/commands.h"
#include "tools/report/report.h"
#include "tools/report/request.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static bool read_file(struct own_document *document, const char *path)
{
	FILE *stream = fopen(path, "re");
	char message[320];
	struct stat file;
	bool taken = false;

	document->path = path;
	if (stream == NULL) {
		own_complain("report: %s: %s; give a file that --report json has written", path,
			     strerror(errno));
		return false;
	}
	if (fstat(fileno(stream), &file) == 0 && S_ISDIR(file.st_mode))
		own_complain("report: %s: it is a folder; give a file that --report json has "
			     "written",
			     path);
	else if (own_document_read(document, stream, message, sizeof(message)))
		taken = true;
	else
		own_complain("report: %s: %s", path, message);
	fclose(stream);
	return taken;
}

static bool same_kind(const struct own_document *documents, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (documents[i].kind == documents[0].kind)
			continue;
		own_complain("report: %s is of %s and %s of %s; give reports of one kind",
			     documents[0].path, own_document_kind_name(documents[0].kind),
			     documents[i].path, own_document_kind_name(documents[i].kind));
		return false;
	}
	return true;
}

static int write_table(const struct own_report_request *request,
		       const struct own_document *documents)
{
	struct own_table table;
	bool written = true;

	if (!own_table_make(&table, documents, request->count)) {
		own_complain("report: out of memory; end other programs");
		return OWN_EXIT_CANNOT_EXECUTE;
	}
	if (request->json)
		written = own_table_write_json(stdout, &table);
	else
		own_table_write_text(stdout, &table);
	own_table_free(&table);
	if (fflush(stdout) == 0 && !ferror(stdout) && written)
		return 0;
	own_complain("report: cannot write to standard output; is the disk full?");
	return OWN_EXIT_USAGE;
}

int own_report_main(const struct own_report_request *request)
{
	static struct own_document documents[OWN_DIFF_FILES];
	int status = 0;

	if (request->count > OWN_DIFF_FILES) {
		own_complain("report: %zu files are too many; give at most %d", request->count,
			     OWN_DIFF_FILES);
		return OWN_EXIT_USAGE;
	}
	for (size_t i = 0; i < request->count && status == 0; i++)
		status = read_file(&documents[i], request->paths[i]) ? 0 : OWN_EXIT_USAGE;
	if (status == 0 && !same_kind(documents, request->count))
		status = OWN_EXIT_USAGE;
	if (status == 0)
		status = write_table(request, documents);
	for (size_t i = 0; i < request->count; i++)
		own_document_free(&documents[i]);
	return status;
}
