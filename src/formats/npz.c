/* npz.c: numpy's archives of named arrays: a zip of .npy members. Used by container.c. */
#include "config.h"

#include "formats/container_reader.h"
#include "formats/zip.h"

static bool sniff(attn_bytes bytes)
{
    return bytes.size >= 4 && (memcmp(bytes.data, "PK\x03\x04", 4) == 0 || memcmp(bytes.data, "PK\x05\x06", 4) == 0);
}

static attn_status refuse_member(attn_bytes name, attn_error *error)
{
    attn_fail(error, ATTN_EUNSUPPORTED, "it is no array (.npy)");
    attn_error_hint(error, "a zip file of other things than arrays: unzip it first");
    if (attn_bytes_end_with(name, "data.pkl"))
        attn_error_hint(error, "a PyTorch checkpoint that was packed again? Its data.pkl must be the first member");
    return ATTN_EUNSUPPORTED;
}

static attn_status add_member(attn_container *container, const attn_zip_member *member, attn_error *error)
{
    attn_bytes name = member->name, content;
    attn_tensor tensor;
    const char *copy;
    if (!attn_bytes_end_with(name, ".npy"))
        return refuse_member(name, error);
    name.size -= 4;
    attn_status status = attn_container_name(container, name, &copy, error);
    if (status == ATTN_OK)
        status = attn_zip_read(member, &container->arena, &content, error);
    if (status == ATTN_OK)
        status = attn_npy_parse(content, &tensor, error);
    if (status == ATTN_OK)
        status = attn_container_add(container, copy, tensor, container->files[0].name, error);
    return status;
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
    attn_zip_close(&zip);
    return status;
}

const attn_format attn_format_npz = {
    .name = "npz", .ending = ".npz", .in_out = true, .sniff = sniff, .open = open_file};
