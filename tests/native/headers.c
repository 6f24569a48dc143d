/* The headers as C: initialisers in every place, const where nothing is changed. */
#include <ownline/ownline.h>

int headers_cxx(void);

struct ledger {
	int number;
	struct ownline_mutex mutex;
	struct ownline_cond cond;
};

static struct ledger ledger = {7, OWNLINE_MUTEX_INIT, OWNLINE_COND_INIT};

static unsigned long read_only(const struct ledger *it)
{
	struct ownline_lock_stats stats;

	ownline_mutex_stats(&it->mutex, &stats);
	return stats.queued;
}

int main(void)
{
	struct ownline_mutex local = OWNLINE_MUTEX_INIT;

	ownline_mutex_lock(&local);
	ownline_mutex_lock(&ledger.mutex);
	ownline_mutex_unlock(&ledger.mutex);
	ownline_mutex_unlock(&local);
	if (read_only(&ledger) != 0 || OWNLINE_VERSION[0] == '\0')
		return 1;
#ifdef __has_include
	return headers_cxx();
#endif
}
