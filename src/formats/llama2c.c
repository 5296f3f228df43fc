/* llama2c.c: the .bin models of Andrej Karpathy's llama2.c (the first, headerless kind): seven numbers, then float32
 * arrays in a fixed order. Used by container.c.
 *
 * Its matrices are those of a Llama in GGUF (rows [out][in], queries and keys for neighbouring rotary pairs), so they
 * get GGUF's names and metadata, and whoever loads a GGUF Llama can load this. The rotary table at the end follows from
 * the rest and is left out; the vocabulary is a file of its own. */
#include "config.h"

#include "formats/container_reader.h"

#include <stdio.h>

enum { N_NUMBERS = 7, HEADER = 4 * N_NUMBERS, NEWER_MAGIC = 0x616b3432 /* "ak42" */ };

typedef struct llama2c_sizes {
    size_t dim, hidden, n_layers, n_heads, n_kv_heads, n_vocab, n_positions;
    bool own_head; /* the output head is not the embedding table */
} llama2c_sizes;

/* The arrays in file order; sizes are indices into a list of counts, see counts_of. */
enum { ONE, DIM, KV_DIM, HIDDEN, VOCAB, ROTARY, N_COUNTS };
typedef struct llama2c_part {
    const char *name;  /* a layer's with %zu for its number; NULL: left out */
    bool layered;      /* one for each layer */
    int rows, columns; /* rows ONE: a vector */
} llama2c_part;

static const llama2c_part parts[] = {
    {"token_embd.weight", false, VOCAB, DIM},
    {"blk.%zu.attn_norm.weight", true, ONE, DIM},
    {"blk.%zu.attn_q.weight", true, DIM, DIM},
    {"blk.%zu.attn_k.weight", true, KV_DIM, DIM},
    {"blk.%zu.attn_v.weight", true, KV_DIM, DIM},
    {"blk.%zu.attn_output.weight", true, DIM, DIM},
    {"blk.%zu.ffn_norm.weight", true, ONE, DIM},
    {"blk.%zu.ffn_gate.weight", true, HIDDEN, DIM},
    {"blk.%zu.ffn_down.weight", true, DIM, HIDDEN},
    {"blk.%zu.ffn_up.weight", true, HIDDEN, DIM},
    {"output_norm.weight", false, ONE, DIM},
    {NULL, false, ONE, ROTARY}, /* cosines */
    {NULL, false, ONE, ROTARY}, /* sines */
    {"output.weight", false, VOCAB, DIM},
};

enum { N_PARTS = sizeof parts / sizeof *parts, HEAD_PART = N_PARTS - 1 };

/* The seven numbers; false when no model can have them. */
static bool read_sizes(attn_bytes bytes, llama2c_sizes *sizes)
{
    int64_t numbers[N_NUMBERS];
    if (bytes.size < HEADER)
        return false;
    for (size_t i = 0; i < N_NUMBERS; i++)
        numbers[i] = (int32_t)attn_load_u32(bytes.data + 4 * i);
    sizes->own_head = numbers[5] < 0;
    if (sizes->own_head)
        numbers[5] = -numbers[5];
    for (size_t i = 0; i < N_NUMBERS; i++)
        if (numbers[i] <= 0)
            return false;
    sizes->dim = (size_t)numbers[0];
    sizes->hidden = (size_t)numbers[1];
    sizes->n_layers = (size_t)numbers[2];
    sizes->n_heads = (size_t)numbers[3];
    sizes->n_kv_heads = (size_t)numbers[4];
    sizes->n_vocab = (size_t)numbers[5];
    sizes->n_positions = (size_t)numbers[6];
    return sizes->dim % sizes->n_heads == 0 && sizes->dim / sizes->n_heads % 2 == 0 &&
           sizes->n_kv_heads <= sizes->n_heads && sizes->n_heads % sizes->n_kv_heads == 0;
}

/* The counts that the parts' rows and columns index; false when one is too large. */
static bool counts_of(const llama2c_sizes *sizes, size_t counts[N_COUNTS])
{
    size_t head = sizes->dim / sizes->n_heads;
    counts[ONE] = 1;
    counts[DIM] = sizes->dim;
    counts[KV_DIM] = sizes->n_kv_heads * head;
    counts[HIDDEN] = sizes->hidden;
    counts[VOCAB] = sizes->n_vocab;
    return attn_multiply(sizes->n_positions, head / 2, &counts[ROTARY]);
}

static bool has_part(const llama2c_sizes *sizes, size_t part)
{
    return part != HEAD_PART || sizes->own_head;
}

/* Bytes of one array of a part. */
static bool part_bytes(const llama2c_part *part, const size_t counts[N_COUNTS], size_t *bytes)
{
    return attn_tensor_bytes(ATTN_F32, 2, (size_t[]){counts[part->rows], counts[part->columns]}, bytes);
}

/* The size a file of these sizes must have; false when it is too large. */
static bool file_size(const llama2c_sizes *sizes, size_t *size)
{
    size_t counts[N_COUNTS], total = HEADER;
    if (!counts_of(sizes, counts))
        return false;
    for (size_t i = 0; i < N_PARTS; i++) {
        size_t bytes;
        if (!has_part(sizes, i))
            continue;
        if (!part_bytes(&parts[i], counts, &bytes) ||
            !attn_multiply(bytes, parts[i].layered ? sizes->n_layers : 1, &bytes) || !attn_add(total, bytes, &total))
            return false;
    }
    *size = total;
    return true;
}

static bool is_newer(attn_bytes bytes)
{
    return bytes.size >= 256 && attn_load_u32(bytes.data) == NEWER_MAGIC;
}

/* There is no magic number: the file is one whose size is exactly what its seven numbers ask for. */
static bool sniff(attn_bytes bytes)
{
    llama2c_sizes sizes;
    size_t size;
    return is_newer(bytes) || (read_sizes(bytes, &sizes) && file_size(&sizes, &size) && size == bytes.size);
}

static attn_status add_array(attn_container *container, const llama2c_part *part, size_t layer,
                             const size_t counts[N_COUNTS], const uint8_t *data, attn_error *error)
{
    size_t rows = counts[part->rows], columns = counts[part->columns];
    attn_tensor tensor = part->rows == ONE ? attn_tensor_make(data, ATTN_F32, 1, &columns)
                                           : attn_tensor_make(data, ATTN_F32, 2, (size_t[]){rows, columns});
    char text[64];
    const char *name;
    if (part->layered) {
        const char *number = strchr(part->name, '%');
        snprintf(text, sizeof text, "%.*s%zu%s", (int)(number - part->name), part->name, layer, number + 3);
    } else {
        snprintf(text, sizeof text, "%s", part->name);
    }
    attn_status status = attn_container_name(container, attn_bytes_of(text), &name, error);
    if (status != ATTN_OK)
        return status;
    return attn_container_add(container, name, tensor, container->files[0].name, error);
}

static attn_status add_tensors(attn_container *container, const llama2c_sizes *sizes, attn_error *error)
{
    const uint8_t *data = container->files[0].bytes.data + HEADER;
    size_t counts[N_COUNTS];
    if (!counts_of(sizes, counts))
        return attn_fail(error, ATTN_EDATA, "its sizes are too large for any file");
    for (size_t i = 0; i < N_PARTS; i++) {
        size_t bytes, n_arrays = parts[i].layered ? sizes->n_layers : 1;
        if (!has_part(sizes, i) || !part_bytes(&parts[i], counts, &bytes))
            continue;
        for (size_t layer = 0; layer < n_arrays; layer++, data += bytes) {
            attn_status status =
                parts[i].name != NULL ? add_array(container, &parts[i], layer, counts, data, error) : ATTN_OK;
            if (status != ATTN_OK)
                return status;
        }
    }
    return ATTN_OK;
}

/* What a GGUF file would say. The epsilon and the rotary base are constants of llama2.c. */
static attn_status add_meta(attn_container *container, const llama2c_sizes *sizes, attn_error *error)
{
    const struct {
        const char *key;
        size_t value;
    } counts[] = {
        {"llama.context_length", sizes->n_positions},
        {"llama.embedding_length", sizes->dim},
        {"llama.block_count", sizes->n_layers},
        {"llama.feed_forward_length", sizes->hidden},
        {"llama.attention.head_count", sizes->n_heads},
        {"llama.attention.head_count_kv", sizes->n_kv_heads},
        {"llama.rope.dimension_count", sizes->dim / sizes->n_heads},
        {"llama.vocab_size", sizes->n_vocab},
    };
    enum { N_COUNTED = sizeof counts / sizeof *counts };
    attn_meta *meta = attn_calloc_array(N_COUNTED + 3, sizeof *meta);
    if (meta == NULL)
        return attn_fail_memory(error);
    container->meta = meta;
    container->n_meta = container->meta_capacity = N_COUNTED + 3;
    for (size_t i = 0; i < N_COUNTED; i++)
        meta[i] = (attn_meta){.key = attn_bytes_of(counts[i].key),
                              .type = ATTN_META_U64,
                              .u64 = counts[i].value,
                              .i64 = (int64_t)counts[i].value,
                              .f64 = (double)counts[i].value};
    meta[N_COUNTED] = (attn_meta){
        .key = attn_bytes_of("general.architecture"), .type = ATTN_META_STRING, .string = attn_bytes_of("llama")};
    meta[N_COUNTED + 1] =
        (attn_meta){.key = attn_bytes_of("llama.attention.layer_norm_rms_epsilon"), .type = ATTN_META_F64, .f64 = 1e-5};
    meta[N_COUNTED + 2] =
        (attn_meta){.key = attn_bytes_of("llama.rope.freq_base"), .type = ATTN_META_F64, .f64 = 10000.0};
    return ATTN_OK;
}

static attn_status open_file(attn_container *container, attn_error *error)
{
    attn_bytes bytes = container->files[0].bytes;
    llama2c_sizes sizes;
    if (is_newer(bytes))
        return attn_fail(error, ATTN_EUNSUPPORTED,
                         "it is a newer llama2.c model (ak42); attn reads the first kind "
                         "(export.py --version 0)");
    if (!read_sizes(bytes, &sizes))
        return attn_fail(error, ATTN_EDATA, "it is no llama2.c model");
    attn_status status = add_tensors(container, &sizes, error);
    return status == ATTN_OK ? add_meta(container, &sizes, error) : status;
}

const attn_format attn_format_llama2c = {.name = "llama2.c", .holds_model = true, .sniff = sniff, .open = open_file};
