// SQLite's memory for a program that opens databases by the thousand and does little with each: a piece
// that is given back is kept by its size for the next one of that size, of the same thread. Nothing goes
// back to the system, so a process keeps what it once needed most of each size.
#pragma once
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

// Pieces grow in steps of so many bytes; SQLite wants no more than 8 to divide where they begin.
#define TANDEM_PIECE_STEP 16
// Before each piece stands how many bytes it has.
#define TANDEM_PIECE_HEAD 8
// Longer pieces are the system's: those up to here have room for a page of a database.
#define TANDEM_PIECE_MAX 8192
// As much is asked of the system at once, to be cut into pieces.
#define TANDEM_CHUNK 65536

// The pieces kept for reuse, and the rest of the chunk from which the next one is cut.
struct tandem_store_of_pieces {
    void *kept[TANDEM_PIECE_MAX / TANDEM_PIECE_STEP + 1];
    char *chunk;
    size_t left;
};

// A thread's own; a piece that another one gives back is that one's from then on. Swift has no variables
// of a header but those in functions.
static inline struct tandem_store_of_pieces *tandem_pieces(void) {
    static _Thread_local struct tandem_store_of_pieces pieces;
    return &pieces;
}

// How much is cut off for `count` bytes, with the head.
static inline size_t tandem_piece_size(size_t count) {
    return (count + TANDEM_PIECE_HEAD + TANDEM_PIECE_STEP - 1) & ~(size_t)(TANDEM_PIECE_STEP - 1);
}

static int tandem_piece_room(void *piece) {
    return piece ? (int)*(size_t *)((char *)piece - TANDEM_PIECE_HEAD) : 0;
}

static int tandem_piece_round(int count) {
    return (int)tandem_piece_size((size_t)count) - TANDEM_PIECE_HEAD;
}

static void *tandem_piece_take(int count) {
    if (count <= 0) return 0;
    size_t size = tandem_piece_size((size_t)count);
    char *start;
    if (size > TANDEM_PIECE_MAX) {
        start = malloc(size);
    } else {
        struct tandem_store_of_pieces *pieces = tandem_pieces();
        void **kept = &pieces->kept[size / TANDEM_PIECE_STEP];
        if (*kept) {
            void *piece = *kept;
            memcpy(kept, piece, sizeof(void *));
            return piece;
        }
        if (pieces->left < size) {
            // The rest of the chunk is too short for this piece, and is given up.
            pieces->chunk = malloc(TANDEM_CHUNK);
            pieces->left = pieces->chunk ? TANDEM_CHUNK : 0;
        }
        start = pieces->chunk;
        if (start) {
            pieces->chunk += size;
            pieces->left -= size;
        }
    }
    if (!start) return 0;
    *(size_t *)start = size - TANDEM_PIECE_HEAD;
    return start + TANDEM_PIECE_HEAD;
}

static void tandem_piece_give(void *piece) {
    if (!piece) return;
    size_t size = (size_t)tandem_piece_room(piece) + TANDEM_PIECE_HEAD;
    if (size > TANDEM_PIECE_MAX) {
        free((char *)piece - TANDEM_PIECE_HEAD);
        return;
    }
    void **kept = &tandem_pieces()->kept[size / TANDEM_PIECE_STEP];
    memcpy(piece, kept, sizeof(void *));
    *kept = piece;
}

static void *tandem_piece_change(void *piece, int count) {
    int room = tandem_piece_room(piece);
    if (count <= room) return piece;
    void *other = tandem_piece_take(count);
    if (!other) return 0;
    memcpy(other, piece, (size_t)room);
    tandem_piece_give(piece);
    return other;
}

static int tandem_pieces_begin(void *nothing) {
    (void)nothing;
    return SQLITE_OK;
}

static void tandem_pieces_end(void *nothing) { (void)nothing; }

// Has SQLite keep its memory so; before the first database is opened (sqlite.org/c3ref/mem_methods.html).
static inline int tandem_sqlite_recycle_memory(void) {
    sqlite3_mem_methods methods = {
        tandem_piece_take, tandem_piece_give, tandem_piece_change, tandem_piece_room,
        tandem_piece_round, tandem_pieces_begin, tandem_pieces_end, 0,
    };
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}
