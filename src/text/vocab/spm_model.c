/* spm_model.c: SentencePiece's own .model files: a protobuf ModelProto with the pieces (field 1),
 * the trainer's settings (2) and the normaliser's (3). The file does not say which tokens a model
 * puts around a text: tokenizer_config.json beside it may (add_bos_token, add_eos_token). Called by
 * load.c. */
#include "config.h"

#include "text/vocab/reader.h"
#include "text/kinds/kinds.h"
#include "text/unicode/normalize.h"

#include <float.h>
#include <string.h>

/* Protobuf's wire types. */
enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

enum { MODEL_UNIGRAM = 1, MODEL_BPE, MODEL_WORD, MODEL_CHAR };

typedef struct field {
    uint64_t number;
    unsigned wire;
    uint64_t value;   /* VARINT */
    float real;       /* FIXED32 */
    attn_bytes bytes; /* BYTES */
} field;

static bool read_varint(attn_cursor *cursor, uint64_t *value)
{
    uint8_t byte = 0x80;
    *value = 0;
    for (unsigned shift = 0; (byte & 0x80) != 0; shift += 7) {
        if (shift > 63 || !attn_cursor_u8(cursor, &byte))
            return false;
        *value |= (uint64_t)(byte & 0x7f) << shift;
    }
    return true;
}

static bool read_value(attn_cursor *cursor, field *f)
{
    uint64_t size;
    switch (f->wire) {
    case VARINT:
        return read_varint(cursor, &f->value);
    case FIXED64:
        return attn_cursor_skip(cursor, 8);
    case FIXED32:
        return attn_cursor_f32(cursor, &f->real);
    case BYTES:
        return read_varint(cursor, &size) && attn_cursor_take(cursor, size, &f->bytes);
    default:
        return false;
    }
}

/* The next field; false: none, or damaged (then the cursor stands at it and bytes are left). */
static bool read_field(attn_cursor *cursor, field *f)
{
    const attn_cursor start = *cursor;
    uint64_t key;
    *f = (field){0};
    if (attn_cursor_left(cursor) == 0)
        return false;
    if (read_varint(cursor, &key)) {
        f->number = key >> 3;
        f->wire = key & 7;
        if (f->number > 0 && read_value(cursor, f))
            return true;
    }
    *cursor = start;
    return false;
}

static attn_status damaged(attn_error *error, size_t offset)
{
    attn_fail(error, ATTN_EDATA, "expected a field of a SentencePiece model, found something else");
    return attn_error_offset(error, offset);
}

/* ---- pieces ---- */

typedef struct pieces {
    attn_bytes *tokens; /* in the arena; [count] */
    float *scores;      /* likewise */
    uint8_t *types;     /* likewise */
    size_t count;
    const char *mask; /* the token that takes the blank before it; "": none */
} pieces;

static bool read_piece(attn_bytes message, pieces *list)
{
    attn_cursor cursor = attn_cursor_at(message);
    attn_bytes token = {0};
    float score = 0;
    uint64_t type = ATTN_TOKEN_NORMAL;
    field f;
    while (read_field(&cursor, &f)) {
        if (f.number == 1 && f.wire == BYTES)
            token = f.bytes;
        else if (f.number == 2 && f.wire == FIXED32)
            score = f.real;
        else if (f.number == 3 && f.wire == VARINT)
            type = f.value;
    }
    if (attn_cursor_left(&cursor) > 0 || type < ATTN_TOKEN_NORMAL || type > ATTN_TOKEN_BYTE || !(score == score))
        return false;
    list->tokens[list->count] = token;
    list->scores[list->count] = score;
    list->types[list->count++] = (uint8_t)type;
    return true;
}

/* Counts the pieces, checking the outermost fields. */
static attn_status count_pieces(attn_bytes model, size_t *count, attn_error *error)
{
    attn_cursor cursor = attn_cursor_at(model);
    field f;
    *count = 0;
    while (read_field(&cursor, &f))
        *count += f.number == 1 && f.wire == BYTES;
    return attn_cursor_left(&cursor) == 0 ? ATTN_OK : damaged(error, cursor.position);
}

/* ---- settings ---- */

typedef struct settings {
    uint64_t model_type;
    bool byte_fallback, suffix_marks;
    uint64_t unknown, bos, eos; /* as 64-bit two's complement: −1 is none */
    bool dummy_prefix, collapse_spaces, escape_spaces;
    attn_bytes charsmap;
} settings;

static bool read_trainer(attn_bytes message, settings *s)
{
    attn_cursor cursor = attn_cursor_at(message);
    field f;
    while (read_field(&cursor, &f)) {
        if (f.wire != VARINT)
            continue;
        switch (f.number) {
        case 3:
            s->model_type = f.value;
            break;
        case 24:
            s->suffix_marks = f.value != 0;
            break;
        case 35:
            s->byte_fallback = f.value != 0;
            break;
        case 40:
            s->unknown = f.value;
            break;
        case 41:
            s->bos = f.value;
            break;
        case 42:
            s->eos = f.value;
            break;
        default:
            break;
        }
    }
    return attn_cursor_left(&cursor) == 0;
}

static bool read_normalizer(attn_bytes message, settings *s)
{
    attn_cursor cursor = attn_cursor_at(message);
    field f;
    while (read_field(&cursor, &f)) {
        if (f.number == 2 && f.wire == BYTES)
            s->charsmap = f.bytes;
        else if (f.number == 3 && f.wire == VARINT)
            s->dummy_prefix = f.value != 0;
        else if (f.number == 4 && f.wire == VARINT)
            s->collapse_spaces = f.value != 0;
        else if (f.number == 5 && f.wire == VARINT)
            s->escape_spaces = f.value != 0;
    }
    return attn_cursor_left(&cursor) == 0;
}

static attn_status read_model(attn_bytes model, pieces *list, settings *s, attn_error *error)
{
    attn_cursor cursor = attn_cursor_at(model);
    field f;
    bool good = true;
    while (good && read_field(&cursor, &f)) {
        if (f.wire != BYTES)
            continue;
        if (f.number == 1)
            good = read_piece(f.bytes, list);
        else if (f.number == 2)
            good = read_trainer(f.bytes, s);
        else if (f.number == 3)
            good = read_normalizer(f.bytes, s);
    }
    return good ? ATTN_OK : damaged(error, cursor.position);
}

/* The first field is a piece that begins with its spelling: 0a SIZE 0a LENGTH … */
static attn_status is_spm_model(const attn_vocab_source *source, bool *is, attn_error *error)
{
    attn_cursor cursor = attn_cursor_at(source->bytes);
    field f, inner;
    (void)error;
    *is = false;
    if (read_field(&cursor, &f) && f.number == 1 && f.wire == BYTES) {
        cursor = attn_cursor_at(f.bytes);
        *is = read_field(&cursor, &inner) && inner.number == 1 && inner.wire == BYTES;
    }
    return ATTN_OK;
}

/* ---- the spec ---- */

/* User-defined pieces are found before anything else, but by a Unigram, whose search knows them, and in a WORD model,
 * where they are words as others are; control tokens only with --parse-special. */
static attn_status mark_added(attn_arena *arena, const pieces *list, attn_tokenizer_spec *spec, attn_error *error)
{
    const bool by_model = spec->kind == &attn_kind_unigram || spec->kind == &attn_kind_spm_words;
    attn_added_token *added = attn_arena_alloc(arena, list->count, sizeof *added);
    if (added == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < list->count; i++) {
        bool control = list->types[i] == ATTN_TOKEN_CONTROL;
        if (!control && (list->types[i] != ATTN_TOKEN_USER || by_model))
            continue;
        added[spec->n_added++] = (attn_added_token){.content = list->tokens[i],
                                                    .id = (uint32_t)i,
                                                    .special = control,
                                                    .normalized = !control,
                                                    .lstrip = attn_bytes_are(list->tokens[i], list->mask)};
    }
    spec->added = added;
    return ATTN_OK;
}

/* An id of the settings; none where it is negative or beyond the pieces. */
static uint32_t id_of(uint64_t value, const pieces *list)
{
    return value < list->count ? (uint32_t)value : ATTN_NO_TOKEN;
}

/* What JSON files beside the model say of it. */
typedef struct surroundings {
    const struct shift *shift; /* or NULL: ids are those of the file */
    bool bos, eos;             /* put around a text */
} surroundings;

static attn_status put_around(const attn_vocab_source *source, const surroundings *around, uint32_t bos, uint32_t eos,
                              attn_tokenizer_spec *spec, attn_error *error)
{
    uint32_t *ids = attn_arena_alloc(source->arena, 2, sizeof *ids);
    if (ids == NULL)
        return attn_fail_memory(error);
    ids[0] = bos;
    ids[1] = eos;
    spec->prefix = ids;
    spec->n_prefix = around->bos && bos != ATTN_NO_TOKEN;
    spec->suffix = ids + 1;
    spec->n_suffix = around->eos && eos != ATTN_NO_TOKEN;
    return ATTN_OK;
}

/* ---- ids that are not the file's ---- */

/* XLM-RoBERTa and CamemBERT keep fairseq's ids: its own first, then the file's pieces from some on, then <mask>, and
 * <s> and </s> around a text. After their tokenizers in transformers (tokenization_xlm_roberta.py,
 * tokenization_camembert.py). */
typedef struct shift {
    const char *class;      /* tokenizer_class begins with this */
    const char *model_type; /* of config.json, where no class is said */
    const char *first[6];   /* fairseq's own, from id 0; then NULL */
    size_t kept;            /* the first piece behind them */
} shift;

static const shift shifts[] = {{.class = "XLMRobertaTokenizer",
                                .model_type = "xlm-roberta",
                                .first = {"<s>", "<pad>", "</s>", "<unk>"},
                                .kept = 3},
                               {.class = "CamembertTokenizer",
                                .model_type = "camembert",
                                .first = {"<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED"},
                                .kept = 1}};

static const shift *find_shift(const char *class, const char *model_type)
{
    for (size_t i = 0; i < sizeof shifts / sizeof shifts[0]; i++)
        if (class != NULL ? strncmp(class, shifts[i].class, strlen(shifts[i].class)) == 0
                          : model_type != NULL && strcmp(model_type, shifts[i].model_type) == 0)
            return &shifts[i];
    return NULL;
}

/* tokenizer_config.json; without it, beside a file of the name that those models use, config.json. */
static attn_status read_surroundings(const attn_vocab_source *source, surroundings *around, attn_error *error)
{
    static const char config_name[] = "tokenizer_config.json", shifted[] = "sentencepiece.bpe.model";
    const char *slash = strrchr(source->path, '/'), *name = slash != NULL ? slash + 1 : source->path;
    attn_json_node *root, *config = NULL;
    attn_status status = attn_vocab_config(source, config_name, &root, error);
    const char *class = attn_json_node_text(attn_json_node_member(root, "tokenizer_class"));
    if (status == ATTN_OK && class == NULL && strcmp(name, shifted) == 0)
        status = attn_vocab_config(source, "config.json", &config, error);
    if (status == ATTN_OK)
        status = attn_vocab_switch(source, config_name, root, "add_bos_token", &around->bos, error);
    if (status == ATTN_OK)
        status = attn_vocab_switch(source, config_name, root, "add_eos_token", &around->eos, error);
    around->shift = find_shift(class, attn_json_node_text(attn_json_node_member(config, "model_type")));
    attn_json_tree_free(root);
    attn_json_tree_free(config);
    return status;
}

/* The type of fairseq's token NAME: what no text can hold is unused. */
static uint8_t shifted_type(const char *name)
{
    if (strstr(name, "NOTUSED") != NULL)
        return ATTN_TOKEN_UNUSED;
    return strcmp(name, "<unk>") == 0 ? ATTN_TOKEN_UNKNOWN : ATTN_TOKEN_CONTROL;
}

static void append(pieces *list, const char *name)
{
    list->tokens[list->count] = attn_bytes_of(name);
    list->scores[list->count] = 0;
    list->types[list->count++] = shifted_type(name);
}

/* Room for COUNT pieces in LIST. */
static attn_status reserve(attn_arena *arena, size_t count, pieces *list, attn_error *error)
{
    *list = (pieces){.mask = "",
                     .tokens = attn_arena_alloc(arena, count, sizeof *list->tokens),
                     .scores = attn_arena_alloc(arena, count, sizeof *list->scores),
                     .types = attn_arena_alloc(arena, count, sizeof *list->types)};
    return list->tokens != NULL && list->scores != NULL && list->types != NULL ? ATTN_OK : attn_fail_memory(error);
}

/* LIST with the ids of fairseq. */
static attn_status shift_pieces(attn_arena *arena, const shift *by, pieces *list, attn_error *error)
{
    pieces shifted;
    attn_status status = reserve(arena, list->count + sizeof by->first / sizeof by->first[0] + 1, &shifted, error);
    if (status != ATTN_OK)
        return status;
    for (size_t i = 0; by->first[i] != NULL; i++)
        append(&shifted, by->first[i]);
    for (size_t i = by->kept; i < list->count; i++) {
        shifted.tokens[shifted.count] = list->tokens[i];
        shifted.scores[shifted.count] = list->scores[i];
        shifted.types[shifted.count++] = list->types[i];
    }
    shifted.mask = "<mask>";
    append(&shifted, shifted.mask);
    *list = shifted;
    return ATTN_OK;
}

/* ---- the whole ---- */

static attn_status refuse(const settings *s, const pieces *list, attn_error *error)
{
    if (s->model_type < MODEL_UNIGRAM || s->model_type > MODEL_CHAR)
        return attn_fail(error, ATTN_EUNSUPPORTED,
                         "a SentencePiece model of type %llu (Unigram, 1, BPE, 2, WORD, 3, and CHAR, 4, are supported)",
                         (unsigned long long)s->model_type);
    for (size_t i = 0; i < list->count && s->model_type == MODEL_BPE; i++)
        if (list->types[i] == ATTN_TOKEN_UNUSED)
            return attn_fail(error, ATTN_EUNSUPPORTED, "a SentencePiece BPE with unused pieces is not supported");
    return ATTN_OK;
}

/* Its normalizer, which leaves user-defined pieces as they are. */
static attn_status set_normalizer(const attn_vocab_source *source, const settings *s, const pieces *list,
                                  attn_tokenizer_spec *spec, attn_error *error)
{
    attn_bytes *symbols = attn_arena_alloc(source->arena, list->count, sizeof *symbols);
    attn_normalize_step *step = attn_arena_alloc(source->arena, 1, sizeof *step);
    struct attn_normalizer *normalizer = attn_arena_alloc(source->arena, 1, sizeof *normalizer);
    if (symbols == NULL || step == NULL || normalizer == NULL)
        return attn_fail_memory(error);
    *step = (attn_normalize_step){.op = ATTN_NORMALIZE_SENTENCEPIECE,
                                  .pattern = s->charsmap,
                                  .dummy = true,
                                  .rules = {.prefix = s->dummy_prefix,
                                            .suffix = s->suffix_marks,
                                            .collapse = s->collapse_spaces,
                                            .escape = s->escape_spaces},
                                  .symbols = symbols};
    for (size_t i = 0; i < list->count; i++)
        if (list->types[i] == ATTN_TOKEN_USER)
            symbols[step->n_symbols++] = list->tokens[i];
    *normalizer = (struct attn_normalizer){step, 1};
    spec->normalizer = normalizer;
    return ATTN_OK;
}

/* A Unigram's scores as its search has them: a user-defined piece costs next to nothing, 0.1, and is part of a path as
 * others are. */
static attn_status set_scores(const attn_vocab_source *source, const pieces *list, attn_tokenizer_spec *spec,
                              attn_error *error)
{
    double *scores = attn_arena_alloc(source->arena, list->count, sizeof *scores);
    float most = FLT_MIN;
    if (scores == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < list->count; i++)
        if (list->types[i] == ATTN_TOKEN_NORMAL && list->scores[i] > most)
            most = list->scores[i];
    for (size_t i = 0; i < list->count; i++)
        scores[i] = list->types[i] == ATTN_TOKEN_USER ? (double)((float)list->tokens[i].size * most) - 0.1
                                                      : (double)list->scores[i];
    spec->double_scores = scores;
    return ATTN_OK;
}

/* The vocabulary and what stands around a text, with the ids that the model has. */
static attn_status set_vocabulary(const attn_vocab_source *source, const settings *s, pieces *list,
                                  attn_tokenizer_spec *spec, attn_error *error)
{
    surroundings around = {0};
    uint32_t bos = id_of(s->bos, list), eos = id_of(s->eos, list);
    attn_status status = read_surroundings(source, &around, error);
    spec->unknown = id_of(s->unknown, list);
    if (status == ATTN_OK && around.shift != NULL)
        status = shift_pieces(source->arena, around.shift, list, error);
    spec->tokens = list->tokens;
    spec->scores = list->scores;
    spec->types = list->types;
    spec->n_tokens = list->count;
    if (status == ATTN_OK && around.shift != NULL) {
        spec->unknown = attn_spec_find(spec, "<unk>");
        bos = attn_spec_find(spec, "<s>"); /* fairseq's own, or the file's behind a "NOTUSED" */
        eos = attn_spec_find(spec, "</s>");
        around.bos = around.eos = true;
    }
    if (status == ATTN_OK)
        status = mark_added(source->arena, list, spec, error);
    return status == ATTN_OK ? put_around(source, &around, bos, eos, spec, error) : status;
}

static attn_status read_spm_model(const attn_vocab_source *source, attn_tokenizer_spec *spec, attn_error *error)
{
    static const attn_kind *const kinds[] = {[MODEL_UNIGRAM] = &attn_kind_unigram,
                                             [MODEL_BPE] = &attn_kind_bpe,
                                             [MODEL_WORD] = &attn_kind_spm_words,
                                             [MODEL_CHAR] = &attn_kind_spm_chars};
    settings s = {.model_type = MODEL_UNIGRAM,
                  .bos = 1,
                  .eos = 2,
                  .dummy_prefix = true,
                  .collapse_spaces = true,
                  .escape_spaces = true};
    pieces list = {0};
    size_t count;
    attn_status status = count_pieces(source->bytes, &count, error);
    if (status != ATTN_OK || (status = reserve(source->arena, count, &list, error)) != ATTN_OK ||
        (status = read_model(source->bytes, &list, &s, error)) != ATTN_OK ||
        (status = refuse(&s, &list, error)) != ATTN_OK)
        return status;
    spec->kind = kinds[s.model_type];
    spec->byte_fallback = s.byte_fallback;
    spec->fuse_unknown = true;
    spec->float_sums = true;
    status = set_vocabulary(source, &s, &list, spec, error);
    if (status == ATTN_OK)
        status = set_normalizer(source, &s, &list, spec, error);
    return status == ATTN_OK && spec->kind == &attn_kind_unigram ? set_scores(source, &list, spec, error) : status;
}

static const char *const files[] = {"tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "spm.model", NULL};

const attn_vocab_reader attn_vocab_reader_spm_model = {.files = files, .is = is_spm_model, .read = read_spm_model};
