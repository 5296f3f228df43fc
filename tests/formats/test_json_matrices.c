/* test_json_matrices.c: JSON as a container of matrices. Values by hand; shared/cases 103. */
#include "config.h"

#include "testing.h"

#include "testing/containers.h"

#include <string.h>

static void refused(const char *text, const char *word)
{
    containers_refused_bytes("it", text, strlen(text), word);
}

START_TEST(matrices_by_name)
{
    static const char text[] = "\xef\xbb\xbf {\"comment\": \"by hand\", \"W_Q\": [[1, 2, 3], [4, 5, 6]],\n"
                               " \"b_Q\": [0.5, -1], \"W\\u005fK\": [[7]]}\n";
    attn_container container;
    attn_error error = {0};
    ck_assert_msg(containers_open_bytes("it", text, sizeof text - 1, &container, &error) == ATTN_OK, "%s",
                  error.message);
    ck_assert_str_eq(container.format->name, "json");
    ck_assert_uint_eq(container.n_tensors, 3);
    containers_values(&container, "W_Q", 2, (const size_t[]){2, 3}, (const float[]){1, 2, 3, 4, 5, 6});
    containers_values(&container, "b_Q", 1, (const size_t[]){2}, (const float[]){0.5f, -1});
    containers_values(&container, "W_K", 2, (const size_t[]){1, 1}, (const float[]){7});
    ck_assert_str_eq(container.tensors[0].file, "it");
    attn_container_close(&container);
}
END_TEST

START_TEST(one_bare_matrix)
{
    attn_container container;
    attn_error error = {0};
    ck_assert_int_eq(containers_open_bytes("it", "[[1,2],[3,4]]", 13, &container, &error), ATTN_OK);
    ck_assert_uint_eq(container.n_tensors, 1);
    containers_values(&container, "", 2, (const size_t[]){2, 2}, (const float[]){1, 2, 3, 4});
    attn_container_close(&container);
}
END_TEST

START_TEST(anything_else_is_refused)
{
    refused("{}", "matrices by name");
    refused("{\"comment\": \"nothing more\"}", "matrices by name");
    refused("[]", "empty");
    refused("[[1],[1,2]]", "row 1 has length 2");
    refused("{\"W_Q\": {\"a\": 1}}", "W_Q: expected an array");
    refused("{\"W_Q\": [[1]], \"layers\": \"two\"}", "layers: expected an array");
    refused("{\"W_Q\": [[1]], \"W_Q\": [[2]]}", "'W_Q' is there twice");
    refused("{\"W\\u0000Q\": [[1]]}", "");
    refused("{\"W_Q\": [[1]]} {}", "nothing after the value");
    refused("{\"W_Q\": [[1, null]]}", "W_Q: row 0: expected a number, found null");
}
END_TEST

START_TEST(truncation_at_every_byte)
{
    static const char text[] = "{\"comment\": \"c\", \"W_Q\": [[1, 2.5], [0.123456789, -3]], \"b\": [1]}";
    containers_truncate("it", text, sizeof text - 1);
}
END_TEST

START_TEST(every_failed_allocation_is_said) /* but making a matrix smaller may fail */
{
    static const char text[] = "{\"W_Q\": [[1, 2.5], [3, 4]], \"b\\u0020\": [1]}";
    ck_assert_uint_ge(containers_fail_each("it", text, sizeof text - 1).failures, 6);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json_matrices");
    TCase *tests = tcase_create("json_matrices");
    tcase_add_test(tests, matrices_by_name);
    tcase_add_test(tests, one_bare_matrix);
    tcase_add_test(tests, anything_else_is_refused);
    tcase_add_test(tests, truncation_at_every_byte);
    tcase_add_test(tests, every_failed_allocation_is_said);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
