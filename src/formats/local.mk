attn_sources += \
	src/formats/container.c src/formats/container.h \
	src/formats/extents.c \
	src/formats/container_reader.h \
	src/formats/gguf.c \
	src/formats/gguf_meta.c src/formats/gguf_meta.h \
	src/formats/json_matrices.c \
	src/formats/llama2c.c \
	src/formats/npy.c \
	src/formats/npz.c \
	src/formats/zip.c src/formats/zip.h \
	src/formats/zip_read.c \
	src/formats/pickle.c src/formats/pickle.h \
	src/formats/safetensors.c \
	src/formats/safetensors_index.c \
	src/formats/torch.c \
	src/formats/vectors.c src/formats/vectors.h src/formats/vectors_reader.h \
	src/formats/vectors_binary.c src/formats/vectors_columns.c src/formats/vectors_fasttext.c \
	src/formats/vectors_json.c \
	src/formats/vectors_text.c src/formats/vectors_window.c
