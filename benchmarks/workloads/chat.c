/*
 * Chat rooms: each thread sleeps on its own mailbox, takes a message, and passes it on to another
 * member of its room, chosen at random. Many mutexes and conditions, little work, and far more
 * threads than CPUs. As many messages are under way in a room as it has members.
 */
#include <stdlib.h>

#include "workloads/catalogue.h"

#define PROCESS_ROOM 20

struct mailbox {
	alignas(OWN_APART) struct own_peer_mutex mutex;
	struct own_peer_cond cond;
	unsigned messages;
};

static void make_boxes(struct own_run *run, long members, long room, unsigned messages)
{
	struct mailbox *boxes;

	if (room < 2)
		own_fail("%s: a room has at least 2 members", run->workload->name);
	run->thread_count = (unsigned)members;
	boxes = own_allocate(run->thread_count, sizeof(*boxes));
	for (unsigned i = 0; i < run->thread_count; i++) {
		own_peer_mutex_init(&boxes[i].mutex);
		own_peer_cond_init(&boxes[i].cond);
		boxes[i].messages = messages;
	}
	run->state = boxes;
}

static void setup_chat(struct own_run *run)
{
	make_boxes(run, run->arguments[0], run->arguments[1], 1);
}

static bool receive(struct own_run *run, struct own_thread *self, struct mailbox *box)
{
	uint64_t started = own_sample_begin(self);

	own_peer_lock(&box->mutex);
	while (box->messages == 0 && !own_stopping(run))
		own_peer_wait(&box->cond, &box->mutex);
	own_sample_end(self, started);
	if (box->messages == 0) {
		own_peer_unlock(&box->mutex);
		return false;
	}
	box->messages--;
	own_peer_unlock(&box->mutex);
	return true;
}

static void send(struct mailbox *box)
{
	own_peer_lock(&box->mutex);
	box->messages++;
	own_peer_signal(&box->cond);
	own_peer_unlock(&box->mutex);
}

static void chat(struct own_run *run, struct own_thread *self, unsigned room)
{
	struct mailbox *boxes = run->state;
	const unsigned me = self->index - run->first;
	const unsigned first = me / room * room;
	const unsigned members =
	    first + room <= run->thread_count ? room : run->thread_count - first;

	while (!own_stopping(run)) {
		if (!receive(run, self, &boxes[me]))
			break;
		send(&boxes[first + own_random(self) % members]);
		own_count(self, 1);
	}
}

static void thread_chat(struct own_run *run, struct own_thread *self)
{
	chat(run, self, (unsigned)run->arguments[1]);
}

static void wake_chat(struct own_run *run)
{
	struct mailbox *boxes = run->state;

	for (unsigned i = 0; i < run->thread_count; i++) {
		own_peer_lock(&boxes[i].mutex);
		own_peer_broadcast(&boxes[i].cond);
		own_peer_unlock(&boxes[i].mutex);
	}
}

static void teardown_chat(struct own_run *run)
{
	struct mailbox *boxes = run->state;

	for (unsigned i = 0; i < run->thread_count; i++) {
		own_peer_cond_destroy(&boxes[i].cond);
		own_peer_mutex_destroy(&boxes[i].mutex);
	}
	free(boxes);
}

const struct own_workload own_workload_chat = {
    .name = "chat",
    .usage = "N [ROOM]",
    .help = "N threads in rooms of ROOM pass messages on, each thread with a mailbox",
    .required = 1,
    .arguments = 2,
    .defaults = {0, 20},
    .setup = setup_chat,
    .thread = thread_chat,
    .wake = wake_chat,
    .teardown = teardown_chat,
};

static void setup_chat_processes(struct own_run *run)
{
	make_boxes(run, run->arguments[1], PROCESS_ROOM, 1);
}

static void thread_chat_processes(struct own_run *run, struct own_thread *self)
{
	chat(run, self, PROCESS_ROOM);
}

static unsigned chat_processes(const struct own_run *run)
{
	return (unsigned)run->arguments[0];
}

const struct own_workload own_workload_chat_processes = {
    .name = "chat-processes",
    .usage = "[P [N]]",
    .help = "P processes at once, each as `chat N 20`",
    .arguments = 2,
    .defaults = {10, 250},
    .processes = chat_processes,
    .setup = setup_chat_processes,
    .thread = thread_chat_processes,
    .wake = wake_chat,
    .teardown = teardown_chat,
};

/*
 * The shape of the Volano chat server: what a user says goes to everybody in the room, and a user
 * speaks again after hearing as many messages as the room has members. The slowest user always has
 * its messages waiting already, so nobody can be stuck.
 */
static void setup_volano(struct own_run *run)
{
	make_boxes(run, run->arguments[0] * run->arguments[1], run->arguments[1], 0);
}

static void thread_volano(struct own_run *run, struct own_thread *self)
{
	struct mailbox *boxes = run->state;
	const unsigned room = (unsigned)run->arguments[1];
	const unsigned first = self->index / room * room;

	while (!own_stopping(run)) {
		for (unsigned i = 0; i < room; i++)
			send(&boxes[first + i]);
		for (unsigned i = 0; i < room; i++) {
			if (!receive(run, self, &boxes[self->index]))
				return;
			own_count(self, 1);
		}
	}
}

const struct own_workload own_workload_volano = {
    .name = "volano",
    .usage = "[ROOMS [USERS]]",
    .help = "ROOMS chat rooms of USERS threads; each message goes to the whole room",
    .arguments = 2,
    .defaults = {10, 20},
    .setup = setup_volano,
    .thread = thread_volano,
    .wake = wake_chat,
    .teardown = teardown_chat,
};
