/*
 * A key-value service on 127.0.0.1. The main thread accepts connections and queues them; each
 * worker serves one connection until its client leaves. Lines from a client: "set KEY VALUE",
 * "get KEY", "count", "quit" (which ends the service); one line in answer to each.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../example.h"
#include "locks.h"
#include "table.h"

#define USAGE	"[WORKERS [PORT]]   8 workers; prints the port that it listens on"
#define MOST	256
#define BACKLOG 256

static struct {
	kv_mutex mutex;
	kv_cond filled;
	int sockets[BACKLOG];
	int first, used;
	int ends;
} pending;
static int listener;

static void pending_put(int client)
{
	kv_lock(&pending.mutex);
	if (pending.used < BACKLOG)
		pending.sockets[(pending.first + pending.used++) % BACKLOG] = client;
	else
		close(client);
	kv_unlock(&pending.mutex);
	kv_signal(&pending.filled);
}

/* A connection to serve, or -1 when the service ends. */
static int pending_take(void)
{
	int client = -1;

	kv_lock(&pending.mutex);
	while (pending.used == 0 && !pending.ends)
		kv_wait(&pending.filled, &pending.mutex);
	if (!pending.ends) {
		client = pending.sockets[pending.first];
		pending.first = (pending.first + 1) % BACKLOG;
		pending.used--;
	}
	kv_unlock(&pending.mutex);
	return client;
}

static void end_service(void)
{
	kv_lock(&pending.mutex);
	pending.ends = 1;
	kv_unlock(&pending.mutex);
	kv_broadcast(&pending.filled);
	shutdown(listener, SHUT_RDWR);
}

/* Answers one line; returns 0 when the client asked for the end. */
static int answer(char *line, FILE *to)
{
	char value[KV_VALUE_SIZE];
	char *key = strchr(line, ' ');
	char *text;

	if (strcmp(line, "quit") == 0)
		return 0;
	if (strcmp(line, "count") == 0) {
		fprintf(to, "%zu\n", table_count());
		return 1;
	}
	if (key)
		*key++ = '\0';
	text = key ? strchr(key, ' ') : NULL;
	if (text)
		*text++ = '\0';
	if (!key || !*key || strlen(key) >= KV_KEY_SIZE)
		fputs("error: set KEY VALUE, get KEY, count or quit\n", to);
	else if (strcmp(line, "get") == 0 && !text)
		fprintf(to, "%s\n", table_get(key, value) == 0 ? value : "none");
	else if (strcmp(line, "set") == 0 && text && strlen(text) < KV_VALUE_SIZE)
		fputs(table_set(key, text) == 0 ? "stored\n" : "error: no memory\n", to);
	else
		fputs("error: set KEY VALUE, get KEY, count or quit\n", to);
	return 1;
}

/* Answers whatever lines have come, then writes all answers at once: clients may send many. */
static int serve(int client)
{
	char lines[16384];
	size_t used = 0;
	int goes_on = 1;
	FILE *to = fdopen(client, "w");

	if (!to) {
		close(client);
		return 1;
	}
	while (goes_on) {
		ssize_t length = read(client, lines + used, sizeof(lines) - used);
		char *line = lines;
		char *end;

		if (length <= 0)
			break;
		used += (size_t)length;
		while (goes_on && (end = memchr(line, '\n', used)) != NULL) {
			*end++ = '\0';
			goes_on = answer(line, to);
			used -= (size_t)(end - line);
			line = end;
		}
		memmove(lines, line, used);
		if (used == sizeof(lines) || fflush(to) != 0)
			break;
	}
	fclose(to);
	return goes_on;
}

static void *work(void *unused)
{
	int client;

	while ((client = pending_take()) >= 0) {
		if (!serve(client))
			end_service();
	}
	return unused;
}

static int start_listening(long port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	socklen_t size = sizeof(address);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) != 0 ||
	    listen(listener, BACKLOG) != 0 ||
	    getsockname(listener, (struct sockaddr *)&address, &size) != 0)
		return errno;
	printf("%d\n", ntohs(address.sin_port));
	fflush(stdout);
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t workers[MOST];
	long count, port;
	int client;

	example_usage(argc, argv, 2, USAGE);
	count = example_number(argc, argv, 1, "the number of workers", 8, 1, MOST);
	port = example_number(argc, argv, 2, "the port", 0, 0, 65535);
	table_init();
	kv_mutex_init(&pending.mutex);
	kv_mutex_name(&pending.mutex, "pending");
	kv_cond_init(&pending.filled);
	example_must(start_listening(port), "127.0.0.1");
	for (long i = 0; i < count; i++)
		example_must(pthread_create(&workers[i], NULL, work, NULL), "a worker");
	while ((client = accept(listener, NULL, NULL)) >= 0) {
		int on = 1;

		setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		pending_put(client);
	}
	for (long i = 0; i < count; i++)
		pthread_join(workers[i], NULL);
	return 0;
}
