// Cast macros and variadic calls of sqlite3.h, which Swift cannot import by itself.
#pragma once
#include <sqlite3.h>
#include "recycling.h"

// SQLITE_TRANSIENT is a cast macro: SQLite copies what is bound.
static inline sqlite3_destructor_type tandem_sqlite_transient(void) { return SQLITE_TRANSIENT; }

// sqlite3_db_config is variadic. Keeps the write-ahead log when the last connection closes if `on` is 1.
static inline int tandem_sqlite_keep_log(sqlite3 *db, int on) {
    return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on, (int *)0);
}

// Flushes the write-ahead log to the disk: what was committed survives a power cut afterwards.
// The journal pointer is the log's file in WAL mode (sqlite.org/c3ref/c_fcntl_begin_atomic_write.html).
static inline int tandem_sqlite_flush_log(sqlite3 *db) {
    sqlite3_file *file = 0;
    int code = sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    if (code != SQLITE_OK) return code;
    if (file == 0 || file->pMethods == 0) return SQLITE_OK;
    return file->pMethods->xSync(file, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
}

// sqlite3_config is variadic. For a program alone with its databases, before the first is opened: no
// count of the bytes in use, for which every allocation takes a lock (sqlite.org/c3ref/c_config_covering_index_scan.html).
static inline int tandem_sqlite_stop_counting(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
