#include "stats/shorten.h"

#include <stdbool.h>
#include <string.h>

static const char dots[] = "...";

/* The last one: the symbol itself may hold a "+0x". */
static char *find_offset(char *name)
{
	char *found = NULL;

	for (char *at = strstr(name, "+0x"); at != NULL; at = strstr(at + 1, "+0x"))
		found = at;
	return found;
}

/* The characters of operator<, operator->, operator() and the like, which open nothing. */
static size_t operator_length(const char *at)
{
	static const char word[] = "operator";
	const char *behind = at + sizeof(word) - 1;

	if (strncmp(at, word, sizeof(word) - 1) != 0)
		return 0;
	return sizeof(word) - 1 + (strncmp(behind, "()", 2) == 0 ? 2 : strspn(behind, "<>-="));
}

static const char *behind_brackets(const char *at, const char *end)
{
	size_t depth = 0;

	do {
		size_t length = operator_length(at);

		if (length > 0) {
			at += length;
			continue;
		}
		if (*at == '<' || *at == '(')
			depth++;
		else if (*at == ')' || (*at == '>' && at[-1] != '-'))
			depth--;
		at++;
	} while (depth > 0 && at < end);
	return at;
}

/* Empties the outermost brackets of name..end, and returns the new end. */
static char *empty_brackets(char *name, const char *end)
{
	static const char nameless[] = "(anonymous namespace)";
	const char *from = name;
	char *to = name;

	while (from < end) {
		size_t length = operator_length(from);
		const char *behind;

		if (length == 0 && strncmp(from, nameless, sizeof(nameless) - 1) == 0)
			length = sizeof(nameless) - 1;
		if (length == 0 && *from != '<' && *from != '(')
			length = 1;
		behind = length > 0 ? from + length : behind_brackets(from, end);
		/* <int> and () are no longer than <...> */
		if (length > 0 || (size_t)(behind - from) < sizeof(dots) + 2) {
			memmove(to, from, (size_t)(behind - from));
			to += behind - from;
		} else {
			*to++ = *from;
			memcpy(to, dots, sizeof(dots) - 1);
			to += sizeof(dots) - 1;
			*to++ = *from == '<' ? '>' : ')';
		}
		from = behind;
	}
	return to;
}

void own_shorten_site(char *name, size_t limit)
{
	size_t length = strlen(name);
	char *offset = find_offset(name);
	size_t rest;
	size_t kept;

	if (length <= limit || offset == NULL)
		return;
	rest = length - (size_t)(offset - name);
	kept = (size_t)(empty_brackets(name, offset) - name);
	memmove(name + kept, offset, rest + 1);
	if (kept + rest > limit && rest + sizeof(dots) <= limit) {
		memmove(name + sizeof(dots) - 1, name + kept + rest - (limit - sizeof(dots) + 1),
			limit - sizeof(dots) + 2);
		memcpy(name, dots, sizeof(dots) - 1);
	}
}
