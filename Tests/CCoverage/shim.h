// The counters of executed code: only there in a program that was built with coverage.
#pragma once

__attribute__((weak)) extern void __llvm_profile_reset_counters(void);
__attribute__((weak)) extern void __llvm_profile_set_filename(const char *path);
__attribute__((weak)) extern int __llvm_profile_write_file(void);

// Whether the program counts what it executes.
static inline int tandem_has_counters(void) { return __llvm_profile_reset_counters != 0; }

// Sets all counters to zero.
static inline void tandem_reset_counters(void) { __llvm_profile_reset_counters(); }

// Writes the counters to a file; 0 if that worked.
static inline int tandem_write_counters(const char *path) {
    __llvm_profile_set_filename(path);
    int code = __llvm_profile_write_file();
    // The program writes once more when it ends: not over this file.
    __llvm_profile_set_filename("/dev/null");
    return code;
}
