/* The server's locks: pthread ones, or with NATIVE the padded ones of ownline. */
#ifndef KV_LOCKS_H
#define KV_LOCKS_H

#ifdef NATIVE

#include <ownline/ownline.h>

typedef struct ownline_mutex kv_mutex;
typedef struct ownline_cond kv_cond;

#define kv_mutex_init(mutex)	   ownline_mutex_init(mutex)
#define kv_mutex_name(mutex, name) (void)ownline_mutex_set_name(mutex, name)
#define kv_lock(mutex)		   ownline_mutex_lock(mutex)
#define kv_unlock(mutex)	   ownline_mutex_unlock(mutex)
#define kv_cond_init(cond)	   ownline_cond_init(cond)
#define kv_wait(cond, mutex)	   ownline_cond_wait(cond, mutex)
#define kv_signal(cond)		   ownline_cond_signal(cond)
#define kv_broadcast(cond)	   ownline_cond_broadcast(cond)

#else

#include <pthread.h>

typedef pthread_mutex_t kv_mutex;
typedef pthread_cond_t kv_cond;

#define kv_mutex_init(mutex)	   (void)pthread_mutex_init(mutex, NULL)
#define kv_mutex_name(mutex, name) (void)(mutex)
#define kv_lock(mutex)		   (void)pthread_mutex_lock(mutex)
#define kv_unlock(mutex)	   (void)pthread_mutex_unlock(mutex)
#define kv_cond_init(cond)	   (void)pthread_cond_init(cond, NULL)
#define kv_wait(cond, mutex)	   (void)pthread_cond_wait(cond, mutex)
#define kv_signal(cond)		   (void)pthread_cond_signal(cond)
#define kv_broadcast(cond)	   (void)pthread_cond_broadcast(cond)

#endif

#endif
