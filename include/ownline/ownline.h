/* All of ownline's native interface. ownline/pthread.h is apart: it redefines pthread names. */
#ifndef OWNLINE_H
#define OWNLINE_H

#include <ownline/cond.h>
#include <ownline/mutex.h>
#include <ownline/stats.h>
#include <ownline/version.h>

#endif
