/* container.h: a file (or a set of shards) as named tensors and, for GGUF, metadata.
 *
 * How to add a format: one file that ends in its row (an attn_format), one line in container_reader.h and one in the
 * list of container.c, a fuzz target with seeds (tests/fuzz/README). Everything a file claims is checked against what
 * is left of it before anything is allocated. */
#ifndef ATTN_FORMATS_CONTAINER_H
#define ATTN_FORMATS_CONTAINER_H

#include "base/file.h"
#include "base/map.h"
#include "base/memory.h"
#include "tensor/tensor.h"

typedef struct attn_named_tensor {
    const char *name; /* borrowed from the container; "" for a file of one tensor (npy) */
    attn_tensor tensor;
    const char *file; /* the shard it lies in; borrowed from the container */
} attn_named_tensor;

typedef struct attn_unread { /* what is there, but holds no numbers: an array of texts */
    const char *name, *why;  /* borrowed from the container; why: a clause, "its type '<U5' …" */
} attn_unread;

typedef enum attn_meta_type {
    ATTN_META_U64,
    ATTN_META_I64,
    ATTN_META_F64,
    ATTN_META_BOOL,
    ATTN_META_STRING,
    ATTN_META_ARRAY
} attn_meta_type;

typedef struct attn_meta { /* one key of GGUF's metadata */
    attn_bytes key;
    attn_meta_type type;
    bool boolean;
    /* Integers of either sign stand in u64 and i64 where they fit (else 0 and the largest); numbers of every type also
     * stand in f64, booleans in u64. */
    uint64_t u64;
    int64_t i64;
    double f64;
    attn_bytes string;
    /* arrays: numbers as a one-dimensional tensor view, strings as bytes */
    attn_meta_type element;
    const attn_tensor *numbers; /* in the container's arena, or NULL: a file may hold many keys */
    const attn_bytes *strings;  /* [n_elements] */
    size_t n_elements;
} attn_meta;

typedef struct attn_container {
    const struct attn_format *format;
    attn_named_tensor *tensors; /* owned; [n_tensors], in file order */
    size_t n_tensors;
    attn_unread *unread; /* owned; [n_unread] */
    size_t n_unread;
    attn_meta *meta; /* owned; [n_meta], in file order */
    size_t n_meta;
    attn_map by_name; /* index into tensors */
    attn_file *files; /* owned; [n_files] */
    size_t n_files;
    size_t tensor_capacity, unread_capacity, meta_capacity;
    attn_arena arena; /* names, arrays, inflated data */
} attn_container;

/* What can be read as a container: each reader's file ends in its row. Who loads a file asks for what the row says,
 * never for its name. */
typedef struct attn_format {
    const char *name; /* "safetensors", "gguf", "npy", "npz", "json", … */
    /* A file that no format knows by content but whose name ends so is opened as this one: its message then says what
     * is wrong with it. NULL: none. */
    const char *ending;
    bool holds_model;      /* settings and tensors: a model by itself (-m) */
    bool holds_weights;    /* the tensors of a published model whose settings are config.json beside it (-m) */
    bool holds_vocabulary; /* metadata may bring a tokenizer (-v) */
    bool may_be_toy;       /* a toy model or a layer's keys (-m, -w), which are no container's; or a vocabulary (-v) */
    bool in_out;           /* matrices are [in][out], whatever their names (-w); else their names tell */
    /* BYTES is the whole file; only a few kilobytes of it may be touched. */
    bool (*sniff)(attn_bytes bytes);
    /* Fills CONTAINER, zero but for files[0], from that file. On failure the caller closes it. */
    attn_status (*open)(attn_container *container, attn_error *error);
    /* NULL: it is never a shard. Adds the tensors of files[FILE]; SHARDS (or NULL: all) maps the names that are wanted
     * to the index of the file they must come from. */
    attn_status (*read)(attn_container *container, size_t file, const attn_map *shards, attn_error *error);
} attn_format;

/* Opens PATH by its content; "-" and FIFOs are read. `model.safetensors.index.json` opens its shards. JSON: an object
 * whose matrices become float32 tensors by their keys (other members refused), or one bare matrix. What is read is
 * noted in FILES (or NULL). On failure *CONTAINER is {0}. */
attn_status attn_container_open(const char *path, attn_file_list *files, attn_container *container, attn_error *error);
/* The same for a file that is open (taken over, also on failure); shards are noted where it is. */
attn_status attn_container_take(attn_file *file, attn_container *container, attn_error *error);
void attn_container_close(attn_container *container);

const attn_named_tensor *attn_container_named(const attn_container *container, const char *name); /* or NULL */
const attn_tensor *attn_container_find(const attn_container *container, const char *name);        /* its numbers */
const attn_meta *attn_container_meta(const attn_container *container, const char *key);           /* or NULL */
/* "'wq' is not there; it has 'w_q', 'wk', 'wv'": the nearest names, for an error's hint. */
attn_status attn_container_missing(const attn_container *container, const char *name, attn_error *error);

/* The format of a file whose content BYTES are (all of it: some formats are known by their size), or NULL. Reads a few
 * kilobytes of it at most. JSON of any kind is "json". */
const attn_format *attn_format_of(attn_bytes bytes);
/* The same, or what FILE's name promises (".safetensors") when its content is of no known format: opening it as that
 * gives the better message. */
const attn_format *attn_format_of_file(const attn_file *file);

#endif
