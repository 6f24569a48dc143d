/*
 * Chat rooms: each thread sleeps on its own mailbox, takes a message, and passes it on to another
 * member of its room, chosen at random. Many mutexes and conditions, little work, and far more
 * threads than CPUs. As many messages are under way in a room as it has members.
 */
#include <stdlib.h>

#include "workloads/catalogue.h"

struct mailbox {
	alignas(OWN_APART) struct own_peer_mutex mutex;
	struct own_peer_cond cond;
	unsigned messages;
};

static void setup_chat(struct own_run *run)
{
	struct mailbox *boxes;

	if (run->arguments[1] < 2)
		own_fail("chat: ROOM is at least 2");
	run->thread_count = (unsigned)run->arguments[0];
	boxes = own_allocate(run->thread_count, sizeof(*boxes));
	for (unsigned i = 0; i < run->thread_count; i++) {
		own_peer_mutex_init(&boxes[i].mutex);
		own_peer_cond_init(&boxes[i].cond);
		boxes[i].messages = 1;
	}
	run->state = boxes;
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

static void thread_chat(struct own_run *run, struct own_thread *self)
{
	struct mailbox *boxes = run->state;
	const unsigned room = (unsigned)run->arguments[1];
	const unsigned first = self->index / room * room;
	const unsigned members =
		first + room <= run->thread_count ? room : run->thread_count - first;

	while (!own_stopping(run)) {
		if (!receive(run, self, &boxes[self->index]))
			break;
		send(&boxes[first + own_random(self) % members]);
		own_count(self, 1);
	}
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
