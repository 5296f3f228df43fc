/* npz.c: numpy's archives of named arrays: a zip of .npy members. Used by container.c. */
#include "config.h"

#include "formats/container_reader.h"
#include "formats/zip.h"

static bool sniff(attn_bytes bytes)
{
    return bytes.size >= 4 && (memcmp(bytes.data, "PK\x03\x04", 4) == 0 || memcmp(bytes.data, "PK\x05\x06", 4) == 0);
}

/* A zip of other things. */
static attn_status refuse_archive(attn_bytes name, attn_error *error)
{
    attn_fail(error, ATTN_EUNSUPPORTED, "member '%.*s': it is no array (.npy)", (int)(name.size < 64 ? name.size : 64),
              (const char *)name.data);
    attn_error_hint(error, "a zip file of other things than arrays: unzip it first");
    if (attn_bytes_end_with(name, "data.pkl"))
        attn_error_hint(error, "a PyTorch checkpoint that was packed again? Its data.pkl must be the first member");
    return ATTN_EUNSUPPORTED;
}

/* An array of texts or objects stops nobody who does not ask for it. */
static attn_status add_array(attn_container *container, const char *name, attn_bytes content, attn_error *error)
{
    attn_error why;
    attn_tensor tensor;
    attn_status status = attn_npy_parse(content, &tensor, &why);
    if (status == ATTN_OK)
        return attn_container_add(container, name, tensor, container->files[0].name, error);
    if (status == ATTN_EUNSUPPORTED)
        return attn_container_leave(container, name, why.message, error);
    if (error != NULL)
        *error = why;
    return status;
}

/* What is no array (a README, a directory) is passed over. */
static attn_status add_member(attn_container *container, const attn_zip_member *member, attn_error *error)
{
    attn_bytes name = member->name, content;
    const char *copy;
    if (!attn_bytes_end_with(name, ".npy"))
        return ATTN_OK;
    name.size -= 4;
    attn_status status = attn_container_name(container, name, &copy, error);
    if (status == ATTN_OK)
        status = attn_zip_read(member, &container->arena, &content, error);
    return status == ATTN_OK ? add_array(container, copy, content, error) : status;
}

/* Something was to be read of ARCHIVE. */
static attn_status check_found(const attn_container *container, const attn_zip *archive, attn_error *error)
{
    if (container->n_tensors > 0 || archive->n_members == 0)
        return ATTN_OK;
    if (container->n_unread == 0)
        return refuse_archive(archive->members[0].name, error);
    return attn_fail(error, ATTN_EUNSUPPORTED, "member '%s.npy': %s", container->unread[0].name,
                     container->unread[0].why);
}

static attn_status open_file(attn_container *container, attn_error *error)
{
    attn_zip zip;
    attn_status status = attn_zip_open(container->files[0].bytes, &zip, error);
    for (size_t i = 0; i < zip.n_members && status == ATTN_OK; i++) {
        attn_bytes name = zip.members[i].name;
        status = add_member(container, &zip.members[i], error);
        if (status != ATTN_OK && status != ATTN_ENOMEM) {
            if (error != NULL)
                error->has_offset = false; /* it counts within the member */
            attn_error_prefix(error, "member '%.*s': ", (int)(name.size < 64 ? name.size : 64),
                              (const char *)name.data);
        }
    }
    if (status == ATTN_OK)
        status = check_found(container, &zip, error);
    attn_zip_close(&zip);
    return status;
}

const attn_format attn_format_npz = {
    .name = "npz", .ending = ".npz", .in_out = true, .sniff = sniff, .open = open_file};
