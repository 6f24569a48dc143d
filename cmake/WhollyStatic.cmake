# A wholly static program has no library to look for glibc's own functions in: it names them.
set(own_static_program_options)
foreach(name mutex_init mutex_destroy mutex_lock mutex_trylock mutex_timedlock mutex_clocklock
	mutex_unlock mutex_consistent mutex_getprioceiling mutex_setprioceiling cond_init cond_destroy
	cond_wait cond_timedwait cond_clockwait cond_signal cond_broadcast cancel)
	list(APPEND own_static_program_options -Wl,-u,__pthread_${name})
endforeach()
