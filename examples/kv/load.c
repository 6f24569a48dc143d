/*
 * Load for the key-value service: connections that send batches of requests, nine gets to a set,
 * and check the answers.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../example.h"

#define USAGE "PORT [MILLISECONDS [CONNECTIONS]]   500 ms, 8 connections"
#define MOST  256
#define BATCH 64
#define KEYS  1000

static long port;
static int stop;
static const char *program;

struct client {
	pthread_t thread;
	unsigned random;
	long requests;
};

static int connect_to_service(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	int on = 1;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
		fprintf(stderr, "%s: port %ld of 127.0.0.1: %s\n", program, port, strerror(errno));
		exit(1);
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

static void send_all(int fd, const char *text, size_t length)
{
	while (length > 0) {
		ssize_t sent = send(fd, text, length, MSG_NOSIGNAL);

		if (sent <= 0) {
			fprintf(stderr, "%s: the service left\n", program);
			exit(1);
		}
		text += sent;
		length -= (size_t)sent;
	}
}

static void expect(const char *line, unsigned key, int is_set)
{
	char value[32];

	snprintf(value, sizeof(value), "value of %u\n", key);
	if (strcmp(line, is_set ? "stored\n" : value) == 0 ||
	    (!is_set && strcmp(line, "none\n") == 0))
		return;
	fprintf(stderr, "%s: wrong answer: %s", program, line);
	exit(1);
}

static void *run(void *argument)
{
	struct client *client = argument;
	int fd = connect_to_service();
	FILE *from = fdopen(fd, "r");

	while (from && !__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		char text[BATCH * 64];
		unsigned keys[BATCH];
		size_t length = 0;

		for (int i = 0; i < BATCH; i++) {
			client->random = client->random * 1664525 + 1013904223;
			keys[i] = (client->random >> 8) % KEYS;
			length += (size_t)sprintf(
			    text + length, i % 10 == 0 ? "set key%u value of %u\n" : "get key%u\n",
			    keys[i], keys[i]);
		}
		send_all(fd, text, length);
		for (int i = 0; i < BATCH; i++) {
			char line[256];

			if (!fgets(line, sizeof(line), from)) {
				fprintf(stderr, "%s: the service left\n", program);
				exit(1);
			}
			expect(line, keys[i], i % 10 == 0);
		}
		client->requests += BATCH;
	}
	if (from)
		fclose(from);
	return NULL;
}

int main(int argc, char **argv)
{
	struct client clients[MOST];
	long milliseconds, count, requests = 0;
	double start;
	int fd;

	program = argv[0];
	example_usage(argc, argv, 3, USAGE);
	if (argc < 2) {
		fprintf(stderr, "%s: name the port of the service; try --help\n", argv[0]);
		return 2;
	}
	port = example_number(argc, argv, 1, "the port", 0, 1, 65535);
	milliseconds = example_number(argc, argv, 2, "the time", 500, 1, 1000000000);
	count = example_number(argc, argv, 3, "the number of connections", 8, 1, MOST);
	start = example_seconds();
	for (long i = 0; i < count; i++) {
		clients[i].random = (unsigned)i;
		clients[i].requests = 0;
		example_must(pthread_create(&clients[i].thread, NULL, run, &clients[i]),
			     "a thread");
	}
	usleep((useconds_t)milliseconds * 1000);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (long i = 0; i < count; i++) {
		pthread_join(clients[i].thread, NULL);
		requests += clients[i].requests;
	}
	printf("%ld requests a second\n", (long)((double)requests / (example_seconds() - start)));
	fd = connect_to_service();
	send_all(fd, "quit\n", 5);
	close(fd);
	return requests > 0 ? 0 : 1;
}
