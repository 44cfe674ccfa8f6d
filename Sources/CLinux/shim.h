// System calls that the Glibc module does not show to Swift.
#pragma once
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/random.h>
#include <sys/stat.h>

// accept4 hides behind _GNU_SOURCE, which comes too late for headers that another module owns.
extern int tandem_accept4(int descriptor, void *address, void *length, int flags) __asm__("accept4");

// statx: the birth time of a file. Layout of struct statx from linux/stat.h (256 bytes).
#include <linux/stat.h>
extern int tandem_statx(int directory, const char *path, int flags, unsigned mask, struct statx *result)
    __asm__("statx");

// pipe2 hides behind _GNU_SOURCE as well.
extern int tandem_pipe2(int descriptors[2], int flags) __asm__("pipe2");

// renameat2 hides behind _GNU_SOURCE as well. 1: a name that is taken stays (RENAME_NOREPLACE, linux/fs.h).
extern int tandem_renameat2(int folder, const char *path, int other_folder, const char *other, unsigned flags)
    __asm__("renameat2");
#define TANDEM_RENAME_NOREPLACE 1

// A descriptor that turns readable when the process ends. Called by number because C libraries
// before 2.36 have no name for it; -1 and errno ENOSYS on kernels before 5.3.
#include <unistd.h>
#include <sys/syscall.h>
static inline int tandem_pidfd_open(int process) {
    return (int)syscall(SYS_pidfd_open, process, 0);
}
