// System calls that the Glibc module does not show to Swift.
#pragma once
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/file.h>

// accept4 hides behind _GNU_SOURCE, which comes too late for headers that another module owns.
extern int tandem_accept4(int descriptor, void *address, void *length, int flags) __asm__("accept4");

// statx: the birth time of a file. Layout of struct statx from linux/stat.h (256 bytes).
#include <linux/stat.h>
extern int tandem_statx(int directory, const char *path, int flags, unsigned mask, struct statx *result)
    __asm__("statx");
