/* test_line_stream.c: lines out of a pipe as they come. Right values: what was put in. */
#include "config.h"

#include "base/line_stream.h"
#include "testing.h"
#include "testing/files.h"
#include "testing/memory.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

static int waited;

static void wait_for_it(void *context)
{
    (void)context;
    waited++;
}

/* A stream of what a child writes: PARTS, NULL-terminated, with time between. */
static void open_pipe(attn_stream *stream, const char *const *parts, useconds_t pause)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        for (; *parts != NULL; parts++) {
            usleep(pause);
            if (write(ends[1], *parts, strlen(*parts)) < 0)
                break;
        }
        _exit(0);
    }
    close(ends[1]);
    *stream = (attn_stream){.fd = ends[0], .waits = wait_for_it};
}

static void next_is(attn_stream *stream, const char *line)
{
    attn_bytes found;
    ck_assert_int_eq(attn_stream_line(stream, &found, NULL), ATTN_OK);
    ck_assert_msg(attn_bytes_are(found, line), "'%.*s', not '%s'", (int)found.size, (const char *)found.data, line);
}

START_TEST(lines_in_any_parts)
{
    static const char *const parts[] = {"a", "b\nc\n\nd", "e", NULL};
    attn_stream stream;
    open_pipe(&stream, parts, 20000);
    waited = 0;
    next_is(&stream, "ab\n");
    ck_assert_int_ge(waited, 1); /* whoever has rows of before shows them */
    next_is(&stream, "c\n");
    next_is(&stream, "\n");
    next_is(&stream, "de");
    next_is(&stream, "");
    next_is(&stream, "");
    attn_stream_close(&stream);
    wait(NULL);
}
END_TEST

START_TEST(a_line_longer_than_any_buffer)
{
    enum { SIZE = 300000 };
    char *line = malloc(SIZE + 2);
    attn_stream stream;
    ck_assert_ptr_nonnull(line);
    memset(line, 'x', SIZE);
    memcpy(line + SIZE, "\n", 2);
    const char *parts[] = {"first\n", line, "last", NULL};
    open_pipe(&stream, parts, 0);
    next_is(&stream, "first\n");
    next_is(&stream, line);
    next_is(&stream, "last");
    attn_stream_close(&stream);
    wait(NULL);
    free(line);
}
END_TEST

START_TEST(the_rest_at_once)
{
    static const char *const parts[] = {"a\nb", "c\nd", NULL};
    attn_stream stream;
    attn_file file;
    attn_bytes head;
    open_pipe(&stream, parts, 20000);
    ck_assert_int_eq(attn_stream_peek(&stream, &head, NULL), ATTN_OK);
    ck_assert(attn_bytes_are(head, "a\nb"));
    next_is(&stream, "a\n");
    ck_assert_int_eq(attn_stream_rest(&stream, &file, NULL), ATTN_OK);
    ck_assert(attn_bytes_are(file.bytes, "bc\nd"));
    next_is(&stream, "");
    attn_file_close(&file);
    attn_stream_close(&stream);
    wait(NULL);
}
END_TEST

START_TEST(what_is_a_stream)
{
    const char *fifo = files_join(files_folder(), "fifo");
    ck_assert_int_eq(mkfifo(fifo, 0600), 0);
    ck_assert(attn_is_stream(fifo));
    ck_assert(attn_is_stream("/dev/null"));
    ck_assert(!attn_is_stream(files_text("x")));
    ck_assert(!attn_is_stream(files_folder()));
    ck_assert(!attn_is_stream("/nowhere"));
}
END_TEST

static attn_status read_null(void *context, attn_error *error)
{
    attn_stream stream = {.fd = -1};
    attn_bytes line;
    (void)context;
    attn_status status = attn_stream_open("/dev/null", &stream, error);
    if (status == ATTN_OK)
        status = attn_stream_line(&stream, &line, error);
    attn_stream_close(&stream);
    return status;
}

START_TEST(failures_are_said)
{
    attn_stream stream = {.fd = -1};
    attn_error error = {0};
    ck_assert_int_eq(attn_stream_open("/nowhere", &stream, &error), ATTN_EIO);
    ck_assert_str_eq(error.file, "/nowhere");
    ck_assert_uint_eq(memory_fail_each(read_null, NULL, MEMORY_ONE).failures, 2); /* the name and the buffer */
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("line_stream");
    TCase *tests = tcase_create("line_stream");
    tcase_add_test(tests, lines_in_any_parts);
    tcase_add_test(tests, a_line_longer_than_any_buffer);
    tcase_add_test(tests, the_rest_at_once);
    tcase_add_test(tests, what_is_a_stream);
    tcase_add_test(tests, failures_are_said);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
