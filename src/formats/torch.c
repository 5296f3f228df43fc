/* torch.c: PyTorch's checkpoints (pytorch_model.bin, .pt, .pth): a zip archive with a pickle that says which tensors
 * there are, and a stored member of numbers for each storage. Used by container.c and safetensors_index.c.
 *
 *   | NAME/data.pkl | NAME/data/0 | NAME/data/1 | … | NAME/byteorder | NAME/version |
 *
 * The pickle is read as data (pickle.c): the globals below are all that it may name, and none of them runs anything.
 * Tensors are views of the mapped members, whose checksums are not looked at: that would read all of the file. */
#include "config.h"

#include "formats/container_reader.h"
#include "formats/pickle.h"
#include "formats/zip.h"

typedef enum role {
    ROLE_STORAGE_KIND, /* torch.FloatStorage …: the type of a storage's numbers */
    ROLE_DTYPE,        /* torch.float32 …: the same, said of a tensor */
    ROLE_UNTYPED,      /* torch.storage.UntypedStorage: bytes */
    ROLE_DICT,         /* collections.OrderedDict */
    ROLE_SIZE,         /* torch.Size, of a tuple */
    ROLE_REBUILD,      /* (storage, offset, size, stride, …) */
    ROLE_REBUILD_AS,   /* the same with a dtype at the seventh place */
    ROLE_PARAMETER,    /* (tensor, requires_grad, hooks) */
    ROLE_SUBCLASS,     /* (rebuild, class, its arguments, attributes) */
    ROLE_CLASS,        /* of tensors: says nothing */
    /* what hooks make */
    ROLE_STORAGE,
    ROLE_TENSOR
} role;

/* All that a checkpoint may name. From the sources of PyTorch: torch/_utils.py (what rebuilds), torch/_tensor.py,
 * torch/serialization.py (persistent ids), torch/storage.py (storages and their types). */
typedef struct global {
    const char *module, *name;
    role role;
    attn_dtype dtype;
} global;

static const global globals[] = {
    {"torch", "FloatStorage", ROLE_STORAGE_KIND, ATTN_F32},
    {"torch", "HalfStorage", ROLE_STORAGE_KIND, ATTN_F16},
    {"torch", "BFloat16Storage", ROLE_STORAGE_KIND, ATTN_BF16},
    {"torch", "DoubleStorage", ROLE_STORAGE_KIND, ATTN_F64},
    {"torch", "LongStorage", ROLE_STORAGE_KIND, ATTN_I64},
    {"torch", "IntStorage", ROLE_STORAGE_KIND, ATTN_I32},
    {"torch", "ShortStorage", ROLE_STORAGE_KIND, ATTN_I16},
    {"torch", "CharStorage", ROLE_STORAGE_KIND, ATTN_I8},
    {"torch", "ByteStorage", ROLE_STORAGE_KIND, ATTN_U8},
    {"torch", "BoolStorage", ROLE_STORAGE_KIND, ATTN_BOOL},
    {"torch", "UntypedStorage", ROLE_UNTYPED, ATTN_U8},
    {"torch.storage", "UntypedStorage", ROLE_UNTYPED, ATTN_U8},
    {"torch", "float32", ROLE_DTYPE, ATTN_F32},
    {"torch", "float16", ROLE_DTYPE, ATTN_F16},
    {"torch", "bfloat16", ROLE_DTYPE, ATTN_BF16},
    {"torch", "float64", ROLE_DTYPE, ATTN_F64},
    {"torch", "int64", ROLE_DTYPE, ATTN_I64},
    {"torch", "int32", ROLE_DTYPE, ATTN_I32},
    {"torch", "int16", ROLE_DTYPE, ATTN_I16},
    {"torch", "int8", ROLE_DTYPE, ATTN_I8},
    {"torch", "uint8", ROLE_DTYPE, ATTN_U8},
    {"torch", "uint16", ROLE_DTYPE, ATTN_U16},
    {"torch", "uint32", ROLE_DTYPE, ATTN_U32},
    {"torch", "uint64", ROLE_DTYPE, ATTN_U64},
    {"torch", "bool", ROLE_DTYPE, ATTN_BOOL},
    {"torch", "Size", ROLE_SIZE, ATTN_F32},
    {"torch", "Tensor", ROLE_CLASS, ATTN_F32},
    {"torch.nn.parameter", "Parameter", ROLE_CLASS, ATTN_F32},
    {"torch._utils", "_rebuild_tensor", ROLE_REBUILD, ATTN_F32},
    {"torch._utils", "_rebuild_tensor_v2", ROLE_REBUILD, ATTN_F32},
    {"torch._utils", "_rebuild_tensor_v3", ROLE_REBUILD_AS, ATTN_F32},
    {"torch._utils", "_rebuild_parameter", ROLE_PARAMETER, ATTN_F32},
    {"torch._tensor", "_rebuild_from_type_v2", ROLE_SUBCLASS, ATTN_F32},
    {"collections", "OrderedDict", ROLE_DICT, ATTN_F32},
};

typedef struct storage {
    attn_bytes bytes;
    attn_dtype dtype;
    size_t count; /* numbers; of an untyped one: bytes */
    bool untyped;
} storage;

/* A file under way. */
typedef struct checkpoint {
    attn_container *container;
    size_t file; /* index into container->files */
    attn_zip zip;
    attn_map members;   /* by name */
    attn_bytes folder;  /* "NAME/", of all members */
    attn_arena *values; /* what lives until the pickle is read */
    const attn_map *shards;
} checkpoint;

/* Globals */

static attn_status refuse_global(attn_bytes module, attn_bytes name, attn_error *error)
{
    attn_fail(error, ATTN_EUNSUPPORTED, "it names '%.*s.%.*s', which builds no tensor: attn runs nothing of it",
              (int)(module.size < 80 ? module.size : 80), (const char *)module.data,
              (int)(name.size < 80 ? name.size : 80), (const char *)name.data);
    attn_error_hint(error, "save the weights alone: torch.save(model.state_dict(), FILE), or as safetensors");
    return ATTN_EUNSUPPORTED;
}

static attn_status find_global(void *context, attn_bytes module, attn_bytes name, attn_pickle_value *result,
                               attn_error *error)
{
    (void)context;
    for (size_t i = 0; i < sizeof globals / sizeof *globals; i++)
        if (attn_bytes_are(module, globals[i].module) && attn_bytes_are(name, globals[i].name)) {
            *result = (attn_pickle_value){
                .type = ATTN_PICKLE_FOREIGN, .size = (uint32_t)globals[i].role, .as.foreign = &globals[i]};
            return ATTN_OK;
        }
    return refuse_global(module, name, error);
}

static bool has_role(const attn_pickle_value *value, role wanted)
{
    return value->type == ATTN_PICKLE_FOREIGN && value->size == (uint32_t)wanted;
}

/* Storages */

static attn_status find_member(const checkpoint *c, const char *folder, attn_bytes name, attn_bytes *data,
                               attn_error *error)
{
    attn_bytes path = {NULL, 0};
    char *joined = NULL;
    size_t index, size = c->folder.size + strlen(folder) + name.size;
    if ((joined = attn_alloc(size + 1)) == NULL)
        return attn_fail_memory(error);
    memcpy(joined, c->folder.data, c->folder.size);
    memcpy(joined + c->folder.size, folder, strlen(folder));
    if (name.size > 0)
        memcpy(joined + c->folder.size + strlen(folder), name.data, name.size);
    path = (attn_bytes){(const uint8_t *)joined, size};
    const bool found = attn_map_find(&c->members, path, &index);
    attn_free(joined);
    if (!found)
        return attn_fail(error, ATTN_EDATA, "the archive has no member '%s%.*s'", folder,
                         (int)(name.size < 80 ? name.size : 80), (const char *)name.data);
    if (c->zip.members[index].deflated)
        return attn_fail(error, ATTN_EUNSUPPORTED, "the member '%s%.*s' is compressed; PyTorch stores it as it is",
                         folder, (int)(name.size < 80 ? name.size : 80), (const char *)name.data);
    *data = c->zip.members[index].data;
    return ATTN_OK;
}

static attn_status bad_storage(attn_error *error)
{
    return attn_fail(error, ATTN_EDATA, "a storage is referred to in no way that PyTorch writes");
}

/* ('storage', kind, key, location, count) */
static attn_status find_storage(void *context, const attn_pickle_value *id, attn_pickle_value *result,
                                attn_error *error)
{
    const checkpoint *c = context;
    const attn_pickle_value *parts = id->as.items;
    size_t bytes;
    if (id->type != ATTN_PICKLE_TUPLE || id->size != 5 || !attn_pickle_is_text(&parts[0], "storage") ||
        (!has_role(&parts[1], ROLE_STORAGE_KIND) && !has_role(&parts[1], ROLE_UNTYPED)) ||
        parts[2].type != ATTN_PICKLE_TEXT || parts[4].type != ATTN_PICKLE_INTEGER || parts[4].as.integer < 0)
        return bad_storage(error);
    const global *kind = parts[1].as.foreign;
    storage *made = attn_arena_alloc(c->values, 1, sizeof *made);
    if (made == NULL)
        return attn_fail_memory(error);
    *made =
        (storage){.dtype = kind->dtype, .count = (size_t)parts[4].as.integer, .untyped = kind->role == ROLE_UNTYPED};
    attn_status status = find_member(c, "data/", attn_pickle_text(&parts[2]), &made->bytes, error);
    if (status != ATTN_OK)
        return status;
    if (!attn_tensor_bytes(made->dtype, 1, &made->count, &bytes) || bytes > made->bytes.size)
        return attn_fail(error, ATTN_EDATA, "a storage claims %zu numbers in %zu bytes", made->count, made->bytes.size);
    *result = (attn_pickle_value){.type = ATTN_PICKLE_FOREIGN, .size = ROLE_STORAGE, .as.foreign = made};
    return ATTN_OK;
}

/* Tensors */

static bool read_count(const attn_pickle_value *value, size_t *count)
{
    if (value->type != ATTN_PICKLE_INTEGER || value->as.integer < 0 || value->as.integer > PTRDIFF_MAX)
        return false;
    *count = (size_t)value->as.integer;
    return true;
}

/* The last number's place in the storage; false: it has none. */
static bool find_end(const attn_tensor *tensor, size_t offset, size_t *end)
{
    *end = offset;
    for (size_t i = 0; i < tensor->n_dims; i++) {
        size_t far;
        if (!attn_multiply(tensor->shape[i] - 1, (size_t)tensor->strides[i], &far) || !attn_add(*end, far, end))
            return false;
    }
    return true;
}

/* Strides of 0 let one number stand at many places; not at more than the file has bytes, or it costs what it likes. */
static attn_status place_tensor(const checkpoint *c, const storage *from, attn_dtype dtype, size_t offset,
                                attn_tensor *tensor, attn_error *error)
{
    const size_t file_size = c->container->files[c->file].bytes.size;
    const size_t size = attn_dtype_of(dtype)->block_bytes, count = from->untyped ? from->count / size : from->count;
    size_t end, total;
    if (!attn_tensor_bytes(dtype, tensor->n_dims, tensor->shape, &total))
        return attn_fail(error, ATTN_EDATA, "a tensor's shape is too large for any file");
    if (total / size > file_size)
        return attn_fail(error, ATTN_EDATA, "a tensor claims %zu numbers in a file of %zu bytes", total / size,
                         file_size);
    tensor->dtype = dtype;
    tensor->data = from->bytes.data;
    if (attn_tensor_is_empty(tensor))
        return ATTN_OK;
    if (!find_end(tensor, offset, &end) || end >= count)
        return attn_fail(error, ATTN_EDATA, "a tensor reaches beyond its storage of %zu numbers", count);
    tensor->data += offset * size;
    return ATTN_OK;
}

static attn_status bad_tensor(attn_error *error)
{
    return attn_fail(error, ATTN_EDATA, "a tensor is rebuilt in no way that PyTorch writes");
}

static attn_status give_tensor(checkpoint *c, const attn_tensor *tensor, attn_pickle_value *result, attn_error *error)
{
    attn_tensor *kept = attn_arena_alloc(c->values, 1, sizeof *kept);
    if (kept == NULL)
        return attn_fail_memory(error);
    *kept = *tensor;
    *result = (attn_pickle_value){.type = ATTN_PICKLE_FOREIGN, .size = ROLE_TENSOR, .as.foreign = kept};
    return ATTN_OK;
}

/* (storage, offset, size, stride, …); AS: and a dtype at the seventh place */
static attn_status rebuild(checkpoint *c, const attn_pickle_value *arguments, bool as, attn_pickle_value *result,
                           attn_error *error)
{
    const attn_pickle_value *a = arguments->as.items;
    attn_tensor tensor = {0};
    size_t offset;
    if (arguments->size < (as ? 7 : 4) || !has_role(&a[0], ROLE_STORAGE) || !read_count(&a[1], &offset) ||
        a[2].type != ATTN_PICKLE_TUPLE || a[3].type != ATTN_PICKLE_TUPLE || a[2].size != a[3].size ||
        (as && !has_role(&a[6], ROLE_DTYPE)))
        return bad_tensor(error);
    if (a[2].size > ATTN_MAX_DIMS)
        return attn_fail(error, ATTN_EUNSUPPORTED, "a tensor has more than %d dimensions", ATTN_MAX_DIMS);
    const storage *from = a[0].as.foreign;
    const attn_dtype dtype = as ? ((const global *)a[6].as.foreign)->dtype : from->dtype;
    if (from->untyped != as)
        return bad_tensor(error);
    tensor.n_dims = a[2].size;
    for (size_t i = 0; i < tensor.n_dims; i++) {
        size_t stride;
        if (!read_count(&a[2].as.items[i], &tensor.shape[i]) || !read_count(&a[3].as.items[i], &stride))
            return bad_tensor(error);
        tensor.strides[i] = (ptrdiff_t)stride;
    }
    attn_status status = place_tensor(c, from, dtype, offset, &tensor, error);
    return status == ATTN_OK ? give_tensor(c, &tensor, result, error) : status;
}

static attn_status call_global(void *context, const attn_pickle_value *callee, const attn_pickle_value *arguments,
                               attn_pickle_value *result, attn_error *error);

/* (rebuild, class, its arguments, attributes), of a tensor that has attributes */
static attn_status rebuild_subclass(checkpoint *c, const attn_pickle_value *arguments, attn_pickle_value *result,
                                    attn_error *error)
{
    const attn_pickle_value *a = arguments->as.items;
    if (arguments->size != 4 || !has_role(&a[1], ROLE_CLASS) || a[2].type != ATTN_PICKLE_TUPLE ||
        (!has_role(&a[0], ROLE_REBUILD) && !has_role(&a[0], ROLE_REBUILD_AS) && !has_role(&a[0], ROLE_PARAMETER)))
        return bad_tensor(error);
    return call_global(c, &a[0], &a[2], result, error);
}

static attn_status call_global(void *context, const attn_pickle_value *callee, const attn_pickle_value *arguments,
                               attn_pickle_value *result, attn_error *error)
{
    const attn_pickle_value *a = arguments->as.items;
    switch (callee->size) {
    case ROLE_DICT:
        if (arguments->size > 0)
            break;
        *result = (attn_pickle_value){.type = ATTN_PICKLE_DICT};
        return ATTN_OK;
    case ROLE_SIZE:
        if (arguments->size != 1 || a[0].type != ATTN_PICKLE_TUPLE)
            break;
        *result = a[0];
        return ATTN_OK;
    case ROLE_PARAMETER:
        if (arguments->size < 1 || !has_role(&a[0], ROLE_TENSOR))
            break;
        *result = a[0];
        return ATTN_OK;
    case ROLE_REBUILD:
    case ROLE_REBUILD_AS:
        return rebuild(context, arguments, callee->size == ROLE_REBUILD_AS, result, error);
    case ROLE_SUBCLASS:
        return rebuild_subclass(context, arguments, result, error);
    default:
        break;
    }
    return attn_fail(error, ATTN_EDATA, "something is called in no way that PyTorch writes");
}

/* What the pickle ends with */

static bool holds_tensors(const attn_pickle_value *dictionary)
{
    attn_pickle_walk walk = attn_pickle_begin(dictionary);
    attn_pickle_value key, value;
    while (attn_pickle_next_pair(&walk, &key, &value))
        if (has_role(&value, ROLE_TENSOR))
            return true;
    return false;
}

/* The dictionary of tensors: the whole, or what a trainer's checkpoint has beside its own state. */
static bool find_tensors(const attn_pickle_value *whole, attn_pickle_value *found)
{
    static const char *const names[] = {"state_dict", "model_state_dict", "model", "module"};
    attn_pickle_walk walk = attn_pickle_begin(whole);
    attn_pickle_value key, value;
    *found = *whole;
    if (whole->type == ATTN_PICKLE_DICT && holds_tensors(whole))
        return true;
    while (whole->type == ATTN_PICKLE_DICT && attn_pickle_next_pair(&walk, &key, &value))
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (attn_pickle_is_text(&key, names[i]) && value.type == ATTN_PICKLE_DICT && holds_tensors(&value)) {
                *found = value;
                return true;
            }
    return false;
}

static attn_status add_tensors(checkpoint *c, const attn_pickle_value *dictionary, attn_error *error)
{
    attn_container *container = c->container;
    attn_pickle_walk walk = attn_pickle_begin(dictionary);
    attn_pickle_value key, value;
    attn_status status = ATTN_OK;
    while (status == ATTN_OK && attn_pickle_next_pair(&walk, &key, &value)) {
        const char *name;
        size_t shard;
        if (!has_role(&value, ROLE_TENSOR) || key.type != ATTN_PICKLE_TEXT)
            continue;
        if (c->shards != NULL && !(attn_map_find(c->shards, attn_pickle_text(&key), &shard) && shard == c->file))
            continue;
        status = attn_container_name(container, attn_pickle_text(&key), &name, error);
        if (status == ATTN_OK)
            status = attn_container_add(container, name, *(const attn_tensor *)value.as.foreign,
                                        container->files[c->file].name, error);
    }
    return status;
}

static attn_status add_result(checkpoint *c, const attn_pickle_value *whole, attn_error *error)
{
    attn_pickle_value dictionary;
    if (has_role(whole, ROLE_TENSOR))
        return attn_container_add(c->container, "", *(const attn_tensor *)whole->as.foreign,
                                  c->container->files[c->file].name, error);
    if (!find_tensors(whole, &dictionary)) {
        attn_fail_found(error, "a dictionary of tensors", "a pickle of other things");
        attn_error_hint(error, "save the weights alone: torch.save(model.state_dict(), FILE)");
        return ATTN_EDATA;
    }
    return add_tensors(c, &dictionary, error);
}

/* The archive */

static const char pickle_name[] = "data.pkl";

/* The member that ends so; its folder is that of all. */
static attn_status find_pickle(checkpoint *c, const attn_zip_member **pickle, attn_error *error)
{
    *pickle = NULL;
    if (!attn_map_reserve(&c->members, c->zip.n_members))
        return attn_fail_memory(error);
    for (size_t i = 0; i < c->zip.n_members; i++) {
        const attn_zip_member *member = &c->zip.members[i];
        if (*pickle == NULL && attn_bytes_end_with(member->name, pickle_name)) {
            *pickle = member;
            c->folder = (attn_bytes){member->name.data, member->name.size - (sizeof pickle_name - 1)};
        }
        if (attn_map_add(&c->members, member->name, i) == ATTN_MAP_NOMEM)
            return attn_fail_memory(error);
    }
    return *pickle != NULL ? ATTN_OK : attn_fail_found(error, "a member data.pkl", "none");
}

static attn_status check_order(const checkpoint *c, attn_error *error)
{
    attn_bytes order;
    const attn_bytes name = attn_bytes_of("byteorder");
    attn_error none;
    const attn_status status = find_member(c, "", name, &order, &none);
    if (status == ATTN_ENOMEM)
        return attn_fail_memory(error);
    if (status == ATTN_OK && !attn_bytes_are(order, "little"))
        return attn_fail(error, ATTN_EUNSUPPORTED, "its numbers are big-endian; attn reads little-endian ones");
    return ATTN_OK;
}

static attn_status read_archive(checkpoint *c, attn_error *error)
{
    const attn_pickle_hooks hooks = {
        .context = c, .global = find_global, .persistent = find_storage, .call = call_global};
    const attn_zip_member *pickle;
    attn_pickle_value whole;
    attn_bytes program;
    attn_status status = find_pickle(c, &pickle, error);
    if (status == ATTN_OK)
        status = check_order(c, error);
    if (status == ATTN_OK)
        status = attn_zip_read(pickle, c->values, &program, error);
    if (status == ATTN_OK)
        status = attn_pickle_read(program, &hooks, c->values, &whole, error);
    return status == ATTN_OK ? add_result(c, &whole, error) : status;
}

/* What torch.save wrote before PyTorch 1.6: a pickle of a number that only it has, and more behind it. */
static bool is_legacy(attn_bytes bytes)
{
    static const uint8_t magic[] = {0x80, 0x02, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19};
    return bytes.size >= sizeof magic && memcmp(bytes.data, magic, sizeof magic) == 0;
}

/* A pickle without an archive around it: protocol 2 or later, and then what begins a value. */
static bool is_bare_pickle(attn_bytes bytes)
{
    return bytes.size >= 4 && bytes.data[0] == 0x80 && bytes.data[1] >= 2 && bytes.data[1] <= 5 &&
           memchr("}](c)\x95\x8a", bytes.data[2], 7) != NULL && bytes.data[bytes.size - 1] == '.';
}

static bool is_archive(attn_bytes bytes)
{
    enum { LOCAL_SIZE = 30 };
    const bool is_zip = bytes.size > LOCAL_SIZE && memcmp(bytes.data, "PK\x03\x04", 4) == 0;
    const size_t length = is_zip ? attn_load_u16(bytes.data + 26) : 0;
    return is_zip && length <= bytes.size - LOCAL_SIZE &&
           attn_bytes_end_with((attn_bytes){bytes.data + LOCAL_SIZE, length}, "/data.pkl");
}

static bool sniff(attn_bytes bytes)
{
    return is_archive(bytes) || is_legacy(bytes) || is_bare_pickle(bytes);
}

static attn_status read_file(attn_container *container, size_t file, const attn_map *shards, attn_error *error)
{
    const attn_bytes bytes = container->files[file].bytes;
    attn_arena values = {0};
    checkpoint c = {.container = container, .file = file, .shards = shards, .values = &values};
    if (!is_archive(bytes)) {
        attn_fail(error, ATTN_EUNSUPPORTED, "%s, which attn does not read",
                  is_legacy(bytes) ? "it was written by PyTorch before 1.6 (the legacy format)"
                                   : "it is a bare pickle");
        attn_error_hint(error, "load it with PyTorch and save it again: torch.save or safetensors");
        return ATTN_EUNSUPPORTED;
    }
    attn_status status = attn_zip_open(bytes, &c.zip, error);
    if (status == ATTN_OK)
        status = read_archive(&c, error);
    attn_map_free(&c.members);
    attn_zip_close(&c.zip);
    attn_arena_free(&values);
    return status;
}

static attn_status open_file(attn_container *container, attn_error *error)
{
    return read_file(container, 0, NULL, error);
}

const attn_format attn_format_torch = {
    .name = "torch", .holds_weights = true, .sniff = sniff, .open = open_file, .read = read_file};
