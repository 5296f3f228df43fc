/* tokenizer_json_steps.c: "normalizer" and "pre_tokenizer" of a tokenizer.json as lists of steps.
 * One row of a table a component; what no row names is refused. Called by tokenizer_json.c. */
#include "config.h"

#include "text/vocab/base64.h"
#include "text/vocab/tokenizer_json.h"

#include <string.h>

enum { MAX_STEPS = 64, DEPTH = 8 /* of sequences in sequences */ };

/* Both lists while they grow. */
typedef struct steps {
    attn_tokenizer_json *file;
    attn_normalize_step *normal;  /* in the arena; [MAX_STEPS] */
    attn_presplit_step *presplit; /* in the arena; [MAX_STEPS] */
    size_t n;
} steps;

/* {"String": …} or {"Regex": …} in NODE's member "pattern". */
static attn_status read_pattern(steps *s, const attn_json_node *node, attn_bytes *pattern, bool *regex)
{
    const attn_json_node *member = attn_json_node_member(node, "pattern");
    const char *string = attn_json_node_text(attn_json_node_member(member, "String"));
    const char *expression = attn_json_node_text(attn_json_node_member(member, "Regex"));
    if ((string == NULL) == (expression == NULL))
        return attn_component_missing(s->file, node, "pattern", "a String or a Regex");
    *regex = expression != NULL;
    *pattern = attn_component_text(s->file, expression != NULL ? expression : string);
    return pattern->data != NULL ? ATTN_OK : attn_fail_memory(s->file->error);
}

/* NODE's string KEY. */
static attn_status read_text(steps *s, const attn_json_node *node, const char *key, attn_bytes *text)
{
    const char *value = attn_json_node_text(attn_json_node_member(node, key));
    if (value == NULL)
        return attn_component_missing(s->file, node, key, "a string");
    *text = attn_component_text(s->file, value);
    return text->data != NULL ? ATTN_OK : attn_fail_memory(s->file->error);
}

/* ---- normalizers ---- */

static attn_status read_replace(steps *s, const attn_json_node *node, attn_normalize_step *step)
{
    attn_status status = read_pattern(s, node, &step->pattern, &step->regex);
    return status == ATTN_OK ? read_text(s, node, "content", &step->content) : status;
}

static attn_status read_prepend(steps *s, const attn_json_node *node, attn_normalize_step *step)
{
    return read_text(s, node, "prepend", &step->content);
}

static attn_status read_strip(steps *s, const attn_json_node *node, attn_normalize_step *step)
{
    step->left = attn_component_switch(s->file, node, "strip_left", true);
    step->right = attn_component_switch(s->file, node, "strip_right", true);
    return ATTN_OK;
}

static attn_status read_bert(steps *s, const attn_json_node *node, attn_normalize_step *step)
{
    step->clean_text = attn_component_switch(s->file, node, "clean_text", true);
    step->split_cjk = attn_component_switch(s->file, node, "handle_chinese_chars", true);
    step->lowercase = attn_component_switch(s->file, node, "lowercase", true);
    step->strip_accents = attn_component_switch(s->file, node, "strip_accents", step->lowercase);
    return ATTN_OK;
}

static attn_status read_charsmap(steps *s, const attn_json_node *node, attn_normalize_step *step)
{
    attn_buffer map = {0};
    attn_bytes text;
    char *copy = NULL;
    attn_status status = read_text(s, node, "precompiled_charsmap", &text);
    if (status != ATTN_OK)
        return status;
    if (!attn_base64_decode((attn_bytes){text.data, text.size}, &map))
        status = attn_component_missing(s->file, node, "precompiled_charsmap", "base64");
    else if (map.failed || (copy = attn_arena_text(s->file->arena, map.data, map.size)) == NULL)
        status = attn_fail_memory(s->file->error);
    step->pattern = (attn_bytes){(const uint8_t *)copy, map.size};
    step->graphemes = true;
    attn_buffer_free(&map);
    return status;
}

static attn_status read_byte_level_normalizer(steps *s, const attn_json_node *node, attn_normalize_step *step)
{
    (void)node;
    (void)step;
    s->file->spec->byte_spelled = true;
    return ATTN_OK;
}

static const struct {
    attn_normalize_op op; /* attn_normalize_name is its type in the file */
    attn_status (*read)(steps *s, const attn_json_node *node, attn_normalize_step *step); /* NULL: no more */
} normalizers[] = {{ATTN_NORMALIZE_NFC, NULL},
                   {ATTN_NORMALIZE_NFD, NULL},
                   {ATTN_NORMALIZE_NFKC, NULL},
                   {ATTN_NORMALIZE_NFKD, NULL},
                   {ATTN_NORMALIZE_LOWERCASE, NULL},
                   {ATTN_NORMALIZE_STRIP_ACCENTS, NULL},
                   {ATTN_NORMALIZE_NMT, NULL},
                   {ATTN_NORMALIZE_BYTE_LEVEL, read_byte_level_normalizer},
                   {ATTN_NORMALIZE_BERT, read_bert},
                   {ATTN_NORMALIZE_REPLACE, read_replace},
                   {ATTN_NORMALIZE_PREPEND, read_prepend},
                   {ATTN_NORMALIZE_STRIP, read_strip},
                   {ATTN_NORMALIZE_PRECOMPILED, read_charsmap}};

typedef attn_status add_component(steps *s, const attn_json_node *node, const char *type);

/* NODE's component, or those of its list MEMBERS when it is a Sequence. */
static attn_status walk(steps *s, const attn_json_node *node, const char *members, add_component *add, size_t depth)
{
    const char *type;
    attn_status status = attn_component_type(s->file, node, &type);
    const attn_json_node *list;
    if (status != ATTN_OK)
        return status;
    if (strcmp(type, "Sequence") != 0) {
        if (s->n + 4 > MAX_STEPS)
            return attn_component_refuse(s->file, node, "tokenizer with so many steps:", type);
        return add(s, node, type);
    }
    list = attn_json_node_member(node, members);
    if (attn_json_node_type(list) != ATTN_JSON_ARRAY || depth == DEPTH)
        return attn_component_missing(s->file, node, members, "an array");
    for (node = attn_json_node_first(list); node != NULL && status == ATTN_OK; node = attn_json_node_next(node))
        status = walk(s, node, members, add, depth + 1);
    return status;
}

static attn_status add_normalizer(steps *s, const attn_json_node *node, const char *type)
{
    for (size_t i = 0; i < sizeof normalizers / sizeof normalizers[0]; i++)
        if (strcmp(type, attn_normalize_name(normalizers[i].op)) == 0) {
            attn_normalize_step *step = &s->normal[s->n++];
            *step = (attn_normalize_step){.op = normalizers[i].op};
            return normalizers[i].read != NULL ? normalizers[i].read(s, node, step) : ATTN_OK;
        }
    return attn_component_refuse(s->file, node, "normalizer", type);
}

/* ---- pre-tokenizers ---- */

static const struct {
    const char *name;
    attn_split_behavior behavior;
} behaviors[] = {{"Removed", ATTN_SPLIT_REMOVED},
                 {"Isolated", ATTN_SPLIT_ISOLATED},
                 {"MergedWithPrevious", ATTN_SPLIT_MERGED_WITH_PREVIOUS},
                 {"MergedWithNext", ATTN_SPLIT_MERGED_WITH_NEXT},
                 {"Contiguous", ATTN_SPLIT_CONTIGUOUS}};

static attn_status read_behavior(steps *s, const attn_json_node *node, attn_presplit_step *step)
{
    const attn_json_node *member = attn_json_node_member(node, "behavior");
    const char *name = attn_json_node_text(member);
    step->behavior = ATTN_SPLIT_ISOLATED;
    if (member == NULL)
        return ATTN_OK;
    for (size_t i = 0; name != NULL && i < sizeof behaviors / sizeof behaviors[0]; i++)
        if (strcmp(name, behaviors[i].name) == 0) {
            step->behavior = behaviors[i].behavior;
            return ATTN_OK;
        }
    return attn_component_refuse(s->file, node, "behavior", name != NULL ? name : "?");
}

static attn_status read_split(steps *s, const attn_json_node *node, attn_presplit_step *step)
{
    attn_status status = read_pattern(s, node, &step->pattern, &step->regex);
    step->invert = attn_component_switch(s->file, node, "invert", false);
    return status == ATTN_OK ? read_behavior(s, node, step) : status;
}

static attn_status read_delimiter(steps *s, const attn_json_node *node, attn_presplit_step *step)
{
    step->behavior = ATTN_SPLIT_REMOVED;
    return read_text(s, node, "delimiter", &step->pattern);
}

static attn_status read_digits(steps *s, const attn_json_node *node, attn_presplit_step *step)
{
    step->individual = attn_component_switch(s->file, node, "individual_digits", false);
    return ATTN_OK;
}

static attn_status read_metaspace(steps *s, const attn_json_node *node, attn_presplit_step *step)
{
    /* older files have but add_prefix_space; newer ones may have both, which must agree where it is false */
    const char *scheme = attn_json_node_text(attn_json_node_member(node, "prepend_scheme"));
    const bool prefix = attn_component_switch(s->file, node, "add_prefix_space", true);
    if (scheme != NULL && !prefix && strcmp(scheme, "never") != 0)
        return attn_component_refuse(s->file, node, "add_prefix_space false beside prepend_scheme", scheme);
    if (scheme == NULL)
        scheme = prefix ? "always" : "never";
    if (strcmp(scheme, "always") == 0)
        step->prepend = ATTN_PREPEND_ALWAYS;
    else if (strcmp(scheme, "first") == 0)
        step->prepend = ATTN_PREPEND_FIRST;
    else if (strcmp(scheme, "never") == 0)
        step->prepend = ATTN_PREPEND_NEVER;
    else
        return attn_component_refuse(s->file, node, "prepend_scheme", scheme);
    step->split = attn_component_switch(s->file, node, "split", true);
    return read_text(s, node, "replacement", &step->pattern);
}

/* One component, three steps: the space before, the split, the spelling of bytes. */
static attn_status read_byte_level(steps *s, const attn_json_node *node, attn_presplit_step *step)
{
    s->file->spec->byte_spelled = true;
    s->n--;
    if (attn_component_switch(s->file, node, "add_prefix_space", true))
        s->presplit[s->n++] = (attn_presplit_step){.op = ATTN_PRESPLIT_PREFIX};
    step = &s->presplit[s->n];
    if (attn_component_switch(s->file, node, "use_regex", true)) {
        *step =
            (attn_presplit_step){.op = ATTN_PRESPLIT_RULE, .rule = ATTN_SPLIT_GPT2, .behavior = ATTN_SPLIT_ISOLATED};
        s->n++;
    }
    s->presplit[s->n++] = (attn_presplit_step){.op = ATTN_PRESPLIT_SPELL};
    return ATTN_OK;
}

static attn_status read_length(steps *s, const attn_json_node *node, attn_presplit_step *step)
{
    const attn_json_node *member = attn_json_node_member(node, "length");
    uint64_t length = 5;
    if (member != NULL && (!attn_json_node_u64(member, UINT32_MAX, &length) || length == 0))
        return attn_component_missing(s->file, node, "length", "a count from 1");
    step->length = (size_t)length;
    return ATTN_OK;
}

static const struct {
    const char *type;
    attn_presplit_op op;
    attn_status (*read)(steps *s, const attn_json_node *node, attn_presplit_step *step); /* NULL: no more */
} pre_tokenizers[] = {{"ByteLevel", ATTN_PRESPLIT_PREFIX, read_byte_level},
                      {"Split", ATTN_PRESPLIT_PATTERN, read_split},
                      {"CharDelimiterSplit", ATTN_PRESPLIT_PATTERN, read_delimiter},
                      {"Whitespace", ATTN_PRESPLIT_WORDS, NULL},
                      {"WhitespaceSplit", ATTN_PRESPLIT_WHITESPACE, NULL},
                      {"BertPreTokenizer", ATTN_PRESPLIT_BERT, NULL},
                      {"Metaspace", ATTN_PRESPLIT_METASPACE, read_metaspace},
                      {"Digits", ATTN_PRESPLIT_DIGITS, read_digits},
                      {"Punctuation", ATTN_PRESPLIT_PUNCTUATION, read_behavior},
                      {"FixedLength", ATTN_PRESPLIT_LENGTH, read_length},
                      {"UnicodeScripts", ATTN_PRESPLIT_SCRIPTS, NULL}};

static attn_status add_pre_tokenizer(steps *s, const attn_json_node *node, const char *type)
{
    for (size_t i = 0; i < sizeof pre_tokenizers / sizeof pre_tokenizers[0]; i++)
        if (strcmp(type, pre_tokenizers[i].type) == 0) {
            attn_presplit_step *step = &s->presplit[s->n++];
            *step = (attn_presplit_step){.op = pre_tokenizers[i].op};
            return pre_tokenizers[i].read != NULL ? pre_tokenizers[i].read(s, node, step) : ATTN_OK;
        }
    return attn_component_refuse(s->file, node, "pre-tokenizer", type);
}

/* ---- both ---- */

/* The type of the component ROOT, kept in the arena. */
static attn_status keep_type(attn_tokenizer_json *file, const attn_json_node *root, const char **type)
{
    const char *text;
    attn_status status = attn_component_type(file, root, &text);
    if (status != ATTN_OK)
        return status;
    *type = (const char *)attn_component_text(file, text).data;
    return *type != NULL ? ATTN_OK : attn_fail_memory(file->error);
}

/* The steps of the value at the reader by ADD; its outermost component's name in *TYPE, which stays NULL for null. */
static attn_status read_steps(steps *s, const char *members, add_component *add, const char **type)
{
    attn_json_node *root = attn_json_tree(s->file->json);
    attn_status status = ATTN_OK;
    if (root == NULL)
        return s->file->error->status;
    if (attn_json_node_type(root) != ATTN_JSON_NULL) {
        status = keep_type(s->file, root, type);
        if (status == ATTN_OK)
            status = walk(s, root, members, add, 0);
    }
    attn_json_tree_free(root);
    return status;
}

attn_status attn_tokenizer_json_normalizer(attn_tokenizer_json *file)
{
    steps s = {.file = file, .normal = attn_arena_alloc(file->arena, MAX_STEPS, sizeof *s.normal)};
    struct attn_normalizer *made = attn_arena_alloc(file->arena, 1, sizeof *made);
    attn_status status;
    if (made == NULL || s.normal == NULL)
        return attn_fail_memory(file->error);
    status = read_steps(&s, "normalizers", add_normalizer, &file->normalizer);
    *made = (struct attn_normalizer){s.normal, s.n};
    if (file->normalizer != NULL)
        file->spec->normalizer = made;
    return status;
}

attn_status attn_tokenizer_json_pre_tokenizer(attn_tokenizer_json *file)
{
    steps s = {.file = file, .presplit = attn_arena_alloc(file->arena, MAX_STEPS, sizeof *s.presplit)};
    struct attn_presplitter *made = attn_arena_alloc(file->arena, 1, sizeof *made);
    attn_status status;
    if (made == NULL || s.presplit == NULL)
        return attn_fail_memory(file->error);
    status = read_steps(&s, "pretokenizers", add_pre_tokenizer, &file->pre_tokenizer);
    *made = (struct attn_presplitter){s.presplit, s.n};
    file->made_presplitter = made;
    if (file->pre_tokenizer != NULL)
        file->spec->presplitter = made;
    return status;
}
