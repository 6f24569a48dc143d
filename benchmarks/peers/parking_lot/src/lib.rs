//! parking_lot behind the C interface of foreign.h.

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::mem::{forget, size_of, transmute_copy, ManuallyDrop};
use std::os::raw::c_long;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

// The sizes in parking_lot.h, and what guard_of relies on.
const _: [(); 1] = [(); size_of::<Mutex<()>>()];
const _: [(); 8] = [(); size_of::<Condvar>()];
const _: [(); size_of::<&Mutex<()>>()] = [(); size_of::<MutexGuard<'static, ()>>()];

/// C keeps no guard between lock and wait, and parking_lot 0.12.1 makes none from a held mutex;
/// a guard is a reference to its mutex and a zero-sized marker.
unsafe fn guard_of<'a>(mutex: &'a Mutex<()>) -> ManuallyDrop<MutexGuard<'a, ()>> {
    ManuallyDrop::new(transmute_copy::<&'a Mutex<()>, MutexGuard<'a, ()>>(&mutex))
}

fn until(seconds: c_long, nanoseconds: c_long) -> Duration {
    (UNIX_EPOCH + Duration::new(seconds as u64, nanoseconds as u32))
        .duration_since(SystemTime::now())
        .unwrap_or(Duration::ZERO)
}

#[no_mangle]
pub unsafe extern "C" fn own_parking_lot_mutex_init(mutex: *mut Mutex<()>) {
    mutex.write(Mutex::new(()));
}

#[no_mangle]
pub unsafe extern "C" fn own_parking_lot_mutex_destroy(mutex: *mut Mutex<()>) {
    mutex.drop_in_place();
}

#[no_mangle]
pub unsafe extern "C" fn own_parking_lot_lock(mutex: *const Mutex<()>) {
    forget((*mutex).lock());
}

#[no_mangle]
pub unsafe extern "C" fn own_parking_lot_trylock(mutex: *const Mutex<()>) -> bool {
    (*mutex).try_lock().map(forget).is_some()
}

#[no_mangle]
pub unsafe extern "C" fn own_parking_lot_timedlock(
    mutex: *const Mutex<()>,
    seconds: c_long,
    nanoseconds: c_long,
) -> bool {
    if (*mutex).try_lock().map(forget).is_some() {
        return true;
    }
    (*mutex)
        .try_lock_for(until(seconds, nanoseconds))
        .map(forget)
        .is_some()
}

#[no_mangle]
pub unsafe extern "C" fn own_parking_lot_unlock(mutex: *const Mutex<()>) {
    (*mutex).force_unlock();
}

#[no_mangle]
pub unsafe extern "C" fn own_parking_lot_cond_init(cond: *mut Condvar) {
    cond.write(Condvar::new());
}

#[no_mangle]
pub unsafe extern "C" fn own_parking_lot_cond_destroy(cond: *mut Condvar) {
    cond.drop_in_place();
}

#[no_mangle]
pub unsafe extern "C" fn own_parking_lot_wait(cond: *const Condvar, mutex: *const Mutex<()>) {
    (*cond).wait(&mut guard_of(&*mutex));
}

#[no_mangle]
pub unsafe extern "C" fn own_parking_lot_timedwait(
    cond: *const Condvar,
    mutex: *const Mutex<()>,
    seconds: c_long,
    nanoseconds: c_long,
) -> bool {
    (*cond)
        .wait_for(&mut guard_of(&*mutex), until(seconds, nanoseconds))
        .timed_out()
}

#[no_mangle]
pub unsafe extern "C" fn own_parking_lot_signal(cond: *const Condvar) {
    (*cond).notify_one();
}

#[no_mangle]
pub unsafe extern "C" fn own_parking_lot_broadcast(cond: *const Condvar) {
    (*cond).notify_all();
}
