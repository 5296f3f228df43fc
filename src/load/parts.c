/* parts.c: -v, -e and -w: parts of a model, alone or in the place of -m's.
 *
 * -e of word vectors brings its words too, unless -v gives the vocabulary: then rows are matched by word. Words of the
 * vocabulary without a vector are counted in a warning that names the first, and a text that has one is refused; words
 * only the vectors have are left out and counted likewise. -e of a matrix (npy, a tensor, JSON rows) has rows by id;
 * alone, its text is ids. -v in the place of a model's vocabulary keeps the model's rows by id, or by word where the
 * model's embeddings have words. */
#include "config.h"

#include "base/foreign.h"
#include "load/loader.h"
#include "load/roles.h"

#include <math.h>
#include <string.h>

/* ---- vocabulary ---- */

static attn_status load_gguf_vocab(attn_loader *loader, attn_file *file)
{
    attn_container container = {0};
    attn_status status = attn_container_take(file, &container, loader->error);
    if (status == ATTN_OK) {
        status = attn_load_gguf_tokenizer(loader, &container);
        attn_container_close(&container);
    }
    return status;
}

/* What is in a container (a zip file, say) may say better than its kind why it is no vocabulary. */
static attn_status check_container(attn_loader *loader, attn_file *file)
{
    attn_container container = {0};
    const attn_status status = attn_container_take(file, &container, loader->error);
    if (status == ATTN_OK)
        attn_container_close(&container);
    return status;
}

static attn_status load_vocab_file(attn_loader *loader, const char *path)
{
    attn_file file = {0};
    attn_status status = attn_file_open(path, &loader->model->files, &file, loader->error);
    if (status != ATTN_OK)
        return status;
    const attn_format *format = attn_format_of(file.bytes);
    if (format != NULL && format->holds_vocabulary)
        status = load_gguf_vocab(loader, &file);
    else if (format != NULL && !format->may_be_toy && (status = check_container(loader, &file)) == ATTN_OK)
        status = attn_fail(loader->error, ATTN_EDATA,
                           "a file in %s holds numbers and no vocabulary (-e and -w take it)", format->name);
    else if (status == ATTN_OK)
        status =
            attn_tokenizer_of_file(path, &file, loader->request->tokenizer, &loader->model->tokenizer, loader->error);
    attn_file_close(&file);
    return status;
}

static attn_status load_vocab(attn_loader *loader)
{
    const char *path;
    attn_tokenizer *old = loader->model->tokenizer;
    bool is_directory = false;
    attn_status status = attn_hub_path(loader, loader->request->vocab, &path);
    if (status == ATTN_OK)
        status = attn_path_is_directory(path, &is_directory, loader->error);
    loader->model->tokenizer = NULL;
    if (status == ATTN_OK && is_directory)
        status = attn_tokenizer_load(path, &loader->model->files, loader->request->tokenizer, &loader->model->tokenizer,
                                     loader->error);
    else if (status == ATTN_OK)
        status = load_vocab_file(loader, path);
    attn_tokenizer_close(old);
    if (status != ATTN_OK)
        attn_error_file(loader->error, path);
    return status;
}

/* ---- embeddings ---- */

typedef struct embedding_source { /* what -e read */
    attn_tensor rows;
    const attn_bytes *words; /* [n] or NULL */
    const char *name;        /* the tensor's, or "" */
    const char *file, *format;
    const attn_vectors *vectors; /* or NULL */
} embedding_source;

/* FILE or FILE:TENSOR: *TENSOR points behind the colon, or is NULL. The path's copy is in the arena. */
static const char *split_name(attn_loader *loader, const char *text, const char **tensor)
{
    const char *colon = strrchr(text, ':');
    *tensor = NULL;
    if (attn_path_exists(text) || colon == NULL || colon == text || colon[1] == '\0')
        return attn_model_text(loader, text);
    *tensor = colon + 1;
    text = attn_arena_text(&loader->model->arena, text, (size_t)(colon - text));
    if (text == NULL)
        attn_fail_memory(loader->error);
    return text;
}

static attn_status take_vectors(attn_loader *loader, attn_file *file, embedding_source *source)
{
    attn_model *model = loader->model;
    attn_vectors vectors = {0};
    attn_status status =
        attn_vectors_take(file, &vectors, loader->request->progress, loader->request->progress_context, loader->error);
    if (status != ATTN_OK)
        return status;
    model->vectors = attn_alloc(sizeof *model->vectors);
    if (model->vectors == NULL) {
        attn_vectors_close(&vectors);
        return attn_fail_memory(loader->error);
    }
    *model->vectors = vectors;
    if (vectors.n_duplicates > 0)
        attn_model_warn(model, "%zu word%s in %s more than once (the first is '%.40s'); the first vector counts",
                        vectors.n_duplicates, vectors.n_duplicates == 1 ? " stands" : "s stand", source->file,
                        vectors.duplicate);
    if (vectors.falling)
        attn_model_warn(model,
                        "%s has one number a word, each smaller than the last: a list of neighbors, and no vectors?",
                        source->file);
    if (vectors.has_more)
        attn_model_warn(model, "%s holds more rows than its first line promises; they are not read", source->file);
    source->rows = attn_tensor_f32(vectors.values, vectors.n_words, vectors.dim);
    source->words = vectors.words;
    source->vectors = model->vectors;
    source->name = source->format = vectors.format;
    return ATTN_OK;
}

/* The only tensor, or the first that is called as embeddings are. */
static const attn_named_tensor *named_embeddings(const attn_container *container)
{
    const attn_named_tensor *found = container->n_tensors == 1 ? &container->tensors[0] : NULL;
    for (size_t i = 0; found == NULL && attn_embedding_name_at(i) != NULL; i++)
        found = attn_container_named(container, attn_embedding_name_at(i));
    return found;
}

static attn_status take_container(attn_loader *loader, attn_file *file, const char *tensor, embedding_source *source)
{
    attn_container *kept;
    attn_status status = attn_model_take_container(loader, file, &kept);
    if (status != ATTN_OK)
        return status;
    const attn_named_tensor *t = tensor != NULL ? attn_container_named(kept, tensor) : named_embeddings(kept);
    if (t == NULL) {
        if (tensor != NULL) {
            attn_container_missing(kept, tensor, loader->error);
        } else {
            attn_fail(loader->error, ATTN_EDATA, "the file has %zu tensors and none is called embeddings",
                      kept->n_tensors);
            attn_error_hint(loader->error, "name one: -e %s:%s", source->file,
                            kept->n_tensors > 0 ? kept->tensors[0].name : "TENSOR");
        }
        return attn_error_file(loader->error, source->file);
    }
    /* a tensor of that name is a table of one row; a vector without a name may be anything */
    bool nameless = t->tensor.n_dims < 2 && t->name[0] == '\0';
    if (nameless || !attn_tensor_as_matrix(&t->tensor, &source->rows) || attn_tensor_is_empty(&t->tensor)) {
        char found[128];
        attn_tensor_describe(&t->tensor, found, sizeof found);
        attn_fail(loader->error, ATTN_EDATA, "%s: expected a matrix of one row a token, found %s",
                  t->name[0] != '\0' ? t->name : "embeddings", found);
        return attn_error_file(loader->error, source->file);
    }
    source->name = t->name;
    source->format = kept->format->name;
    return ATTN_OK;
}

static attn_status read_embeddings(attn_loader *loader, embedding_source *source)
{
    attn_file file = {0};
    const char *tensor;
    source->file = split_name(loader, loader->request->embeddings, &tensor);
    if (source->file == NULL)
        return ATTN_ENOMEM;
    attn_status status = attn_file_open(source->file, &loader->model->files, &file, loader->error);
    if (status != ATTN_OK)
        return status;
    if (tensor == NULL && attn_vectors_sniff(file.bytes))
        return take_vectors(loader, &file, source);
    if (tensor == NULL && attn_format_of(file.bytes) == NULL) {
        status = attn_foreign_refuse(file.bytes, loader->error);
        if (status == ATTN_OK)
            status = attn_vectors_refuse_neighbors(file.bytes, loader->error);
        if (status == ATTN_OK)
            status = attn_foreign_refuse_page(file.bytes, loader->error);
        attn_file_close(&file);
        if (status != ATTN_OK)
            return attn_error_file(loader->error, source->file);
        attn_fail(loader->error, ATTN_EDATA,
                  "neither word vectors (a word and its numbers a line) nor a container of tensors");
        return attn_error_file(loader->error, source->file);
    }
    return take_container(loader, &file, tensor, source);
}

/* ---- words of the vocabulary and rows of the vectors ---- */

typedef struct matching {
    attn_loader *loader;
    const embedding_source *source;
    attn_map rows; /* word to row */
    float *table;  /* in the arena; [n_vocab][d] */
    uint8_t *none; /* in the arena; [n_vocab]: 1 where there is no vector */
    size_t missing, matched;
    uint32_t first_missing;
} matching;

static attn_status match_words(matching *m)
{
    const attn_tokenizer *tokenizer = m->loader->model->tokenizer;
    size_t n = attn_tokenizer_size(tokenizer), d = m->source->rows.shape[1], row;
    for (size_t i = 0; i < m->source->rows.shape[0]; i++)
        if (attn_map_add(&m->rows, m->source->words[i], i) == ATTN_MAP_NOMEM)
            return attn_fail_memory(m->loader->error);
    m->table = attn_arena_aligned(&m->loader->model->arena, n, d * sizeof *m->table);
    m->none = attn_arena_alloc(&m->loader->model->arena, n, 1);
    if (m->table == NULL || m->none == NULL)
        return attn_fail_memory(m->loader->error);
    for (size_t i = 0; i < n; i++) {
        attn_bytes word = attn_tokenizer_spelling(tokenizer, (uint32_t)i);
        m->none[i] = 0;
        if (word.size > 0 && attn_map_find(&m->rows, word, &row)) {
            attn_tensor_read(&m->source->rows, row, 1, 0, d, m->table + i * d, d);
            m->matched++;
            continue;
        }
        if (word.size > 0 && m->source->vectors != NULL && attn_vectors_knows(m->source->vectors, word) &&
            attn_vectors_compose(m->source->vectors, word, m->table + i * d))
            continue;
        for (size_t k = 0; k < d; k++)
            m->table[i * d + k] = NAN; /* nobody's neighbour */
        m->none[i] = 1;
        if (word.size > 0 && m->missing++ == 0)
            m->first_missing = (uint32_t)i;
    }
    return ATTN_OK;
}

/* Rows in the vocabulary's order. */
static attn_status match_vocabulary(attn_loader *loader, const embedding_source *source)
{
    attn_model *model = loader->model;
    matching m = {.loader = loader, .source = source};
    size_t n = attn_tokenizer_size(model->tokenizer);
    attn_status status = match_words(&m);
    attn_map_free(&m.rows);
    if (status != ATTN_OK)
        return status;
    if (m.missing > 0) {
        attn_bytes word = attn_tokenizer_spelling(model->tokenizer, m.first_missing);
        attn_model_warn(model, "%zu of the vocabulary's %zu tokens have no vector in %s (the first is '%.*s')",
                        m.missing, n, source->file, (int)(word.size < 60 ? word.size : 60), (const char *)word.data);
    }
    model->no_vector = m.missing > 0 || m.matched < n ? m.none : NULL;
    if (m.matched < source->rows.shape[0])
        attn_model_warn(model, "%zu of the %zu words in %s are not in the vocabulary and were left out",
                        source->rows.shape[0] - m.matched, source->rows.shape[0], source->file);
    model->embeddings = attn_tensor_f32(m.table, n, source->rows.shape[1]);
    model->n_vocab = n;
    return ATTN_OK;
}

static attn_status words_as_vocabulary(attn_loader *loader, const embedding_source *source)
{
    const attn_word_list list = {
        .words = source->words, .n = source->rows.shape[0], .kind = loader->request->tokenizer};
    attn_tokenizer_close(loader->model->tokenizer);
    loader->model->tokenizer = NULL;
    loader->model->no_tokenizer = NULL;
    return attn_tokenizer_of_words(&list, &loader->model->tokenizer, loader->error);
}

static attn_status check_width(attn_loader *loader, const embedding_source *source)
{
    const attn_model *model = loader->model;
    if (model->n_layers == 0 || model->d_model == source->rows.shape[1])
        return ATTN_OK;
    attn_fail(loader->error, ATTN_EDATA, "the vectors have %zu numbers, but the model is %zu wide",
              source->rows.shape[1], model->d_model);
    if (source->words == NULL && source->rows.shape[0] == model->d_model)
        attn_error_hint(loader->error, "its transpose would fit: a row for each token");
    return attn_error_file(loader->error, source->file);
}

static attn_status load_embeddings(attn_loader *loader)
{
    attn_model *model = loader->model;
    embedding_source source = {0};
    attn_status status = read_embeddings(loader, &source);
    bool own_vocab = loader->request->vocab != NULL;
    if (status == ATTN_OK)
        status = check_width(loader, &source);
    if (status != ATTN_OK)
        return status;
    if (loader->request->model == NULL)
        model->format = source.format;
    model->embeddings = source.rows;
    model->n_vocab = source.rows.shape[0];
    model->d_model = source.rows.shape[1];
    if (model->n_layers == 0 && model->n_axes != model->d_model) {
        model->axes = NULL;
        model->n_axes = 0;
    }
    model->head = (attn_linear){0}; /* it predicts the tokens of the table it came with */
    if (source.words != NULL)
        status = own_vocab ? match_vocabulary(loader, &source) : words_as_vocabulary(loader, &source);
    loader->words = source.words;
    if (status != ATTN_OK)
        return status;
    if (model->vectors != NULL && model->vectors->subwords != NULL)
        attn_tokenizer_knows_more(model->tokenizer, attn_vectors_knows, model->vectors);
    return attn_account_tensor(loader, source.name, source.file, &source.rows, "token embeddings", "[token][d_model]");
}

/* -v over a model whose rows have words: rows follow the new vocabulary's words. */
static attn_status rematch_model(attn_loader *loader)
{
    attn_model *model = loader->model;
    const embedding_source source = {.rows = model->embeddings, .words = loader->words, .file = loader->request->model};
    return match_vocabulary(loader, &source);
}

attn_status attn_load_parts(attn_loader *loader)
{
    const attn_model_request *request = loader->request;
    attn_model *model = loader->model;
    attn_status status = ATTN_OK;
    if (request->vocab != NULL) {
        status = load_vocab(loader);
        if (status == ATTN_OK && request->embeddings == NULL) {
            if (model->embeddings.data == NULL && model->n_layers == 0) {
                model->n_vocab = model->d_model = attn_tokenizer_size(model->tokenizer);
                if (model->n_vocab == 0)
                    return attn_fail(loader->error, ATTN_EDATA, "%s: the vocabulary is empty", request->vocab);
            } else if (loader->words != NULL) {
                status = rematch_model(loader);
            }
        }
    }
    if (status == ATTN_OK && request->embeddings != NULL)
        status = load_embeddings(loader);
    if (status == ATTN_OK && request->weights != NULL) {
        model->n_layers = 0;
        model->layers = NULL;
        status = attn_load_weights(loader, request->weights);
    }
    return status;
}
