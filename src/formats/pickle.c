/* pickle.c: see pickle.h. A machine with a stack of values and a memo, after Python's pickletools (the operations'
 * codes and arguments). Used by torch.c; must not know what is built. */
#include "config.h"

#include "formats/pickle.h"

#include <inttypes.h>

enum {
    COST_LIMIT = 12,        /* bytes for a byte of the pickle … */
    COST_ALLOWANCE = 65536, /* … and beside that */
    FIRST_PROTOCOL = 2,
    LAST_PROTOCOL = 5
};

typedef struct attn_pickle_chunk {
    struct attn_pickle_chunk *next;
    size_t n;
    attn_pickle_value items[]; /* [n] */
} attn_pickle_chunk;

typedef struct attn_pickle_list {
    attn_pickle_chunk *first, *last;
} attn_pickle_list;

typedef struct machine {
    attn_cursor cursor;
    const attn_pickle_hooks *hooks;
    attn_arena *arena;
    attn_pickle_value *stack; /* owned; [n] */
    attn_pickle_value *memo;  /* owned; [n_memo]; MARK: nothing was put there */
    size_t n, capacity, n_memo, memo_capacity;
    size_t cost, most; /* bytes that values took so far, and may take */
    size_t at;         /* of the operation under way */
    bool stopped;
    attn_error *error;
} machine;

typedef struct operation {
    attn_status (*run)(machine *m, int argument);
    int argument;
} operation;

/* Values */

attn_pickle_walk attn_pickle_begin(const attn_pickle_value *value)
{
    const bool has_items = value->type == ATTN_PICKLE_LIST || value->type == ATTN_PICKLE_DICT;
    return (attn_pickle_walk){.list = has_items ? value->as.list : NULL};
}

bool attn_pickle_next(attn_pickle_walk *walk, attn_pickle_value *value)
{
    if (walk->list == NULL)
        return false;
    if (!walk->begun)
        walk->chunk = walk->list->first;
    walk->begun = true;
    while (walk->chunk != NULL && walk->at == walk->chunk->n) {
        walk->chunk = walk->chunk->next;
        walk->at = 0;
    }
    if (walk->chunk == NULL)
        return false;
    *value = walk->chunk->items[walk->at++];
    return true;
}

bool attn_pickle_next_pair(attn_pickle_walk *walk, attn_pickle_value *key, attn_pickle_value *value)
{
    return attn_pickle_next(walk, key) && attn_pickle_next(walk, value);
}

attn_bytes attn_pickle_text(const attn_pickle_value *value)
{
    return (attn_bytes){value->as.bytes, value->size};
}

bool attn_pickle_is_text(const attn_pickle_value *value, const char *text)
{
    return value->type == ATTN_PICKLE_TEXT && attn_bytes_are(attn_pickle_text(value), text);
}

/* The machine */

static attn_status fail(machine *m, const char *what)
{
    return attn_fail(m->error, ATTN_EDATA, "the pickle is damaged at byte %zu: %s", m->at, what);
}

static attn_status cut_short(machine *m)
{
    return fail(m, "it ends within an operation");
}

static attn_status spend(machine *m, size_t size)
{
    if (size > m->most - m->cost)
        return attn_fail(m->error, ATTN_EDATA, "the pickle builds more than its %zu bytes can mean",
                         m->cursor.bytes.size);
    m->cost += size;
    return ATTN_OK;
}

static void *make(machine *m, size_t count, size_t size)
{
    void *made = NULL;
    if (count > m->most / size)
        spend(m, m->most);
    else if (spend(m, count * size) == ATTN_OK && (made = attn_arena_alloc(m->arena, count, size)) == NULL)
        attn_fail_memory(m->error);
    return made;
}

/* Room for one more value in an array, which is paid for as it grows. */
static attn_status grow(machine *m, attn_pickle_value **values, size_t *capacity, size_t n)
{
    void *grown = *values;
    const size_t before = *capacity;
    if (n < before)
        return ATTN_OK;
    if (spend(m, (before / 2 + 8) * sizeof **values) != ATTN_OK)
        return m->error->status;
    if (!attn_grow(&grown, capacity, n, sizeof **values))
        return attn_fail_memory(m->error);
    *values = grown;
    return ATTN_OK;
}

static attn_status push(machine *m, attn_pickle_value value)
{
    attn_status status = grow(m, &m->stack, &m->capacity, m->n);
    if (status == ATTN_OK)
        m->stack[m->n++] = value;
    return status;
}

static bool is_mark(const attn_pickle_value *value)
{
    return value->type == ATTN_PICKLE_MARK;
}

/* The N uppermost values, none of which is a mark; NULL and an error when there are fewer. */
static attn_pickle_value *top(machine *m, size_t n)
{
    for (size_t i = 1; i <= n; i++)
        if (i > m->n || is_mark(&m->stack[m->n - i])) {
            fail(m, "an operation finds no value");
            return NULL;
        }
    return m->stack + (m->n - n);
}

/* How many values lie over the uppermost mark. */
static bool count_to_mark(machine *m, size_t *n)
{
    for (*n = 0; *n < m->n; ++*n)
        if (is_mark(&m->stack[m->n - 1 - *n]))
            return true;
    fail(m, "an operation finds no mark");
    return false;
}

/* Constants */

static attn_status run_none(machine *m, int argument)
{
    (void)argument;
    return push(m, (attn_pickle_value){.type = ATTN_PICKLE_NONE});
}

static attn_status run_bool(machine *m, int argument)
{
    return push(m, (attn_pickle_value){.type = ATTN_PICKLE_BOOL, .as.integer = argument});
}

/* SIZE bytes, the least first, with a sign when there are so many that it counts. */
static bool take_integer(machine *m, size_t size, bool has_sign, int64_t *value)
{
    attn_bytes bytes;
    uint64_t bits = 0;
    if (!attn_cursor_take(&m->cursor, size, &bytes))
        return false;
    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)bytes.data[i] << 8 * i;
    if (has_sign && size > 0 && size < 8 && bytes.data[size - 1] >= 0x80)
        bits |= UINT64_MAX << 8 * size;
    memcpy(value, &bits, sizeof bits);
    return true;
}

/* ARGUMENT: how many bytes it has. */
static attn_status run_integer(machine *m, int argument)
{
    int64_t value;
    if (!take_integer(m, (size_t)argument, argument == 4, &value))
        return cut_short(m);
    return push(m, (attn_pickle_value){.type = ATTN_PICKLE_INTEGER, .as.integer = value});
}

/* ARGUMENT: how many bytes its length has. */
static attn_status run_long(machine *m, int argument)
{
    int64_t size, value;
    if (!take_integer(m, (size_t)argument, false, &size))
        return cut_short(m);
    if (size > 8)
        return fail(m, "an integer of more than 64 bits");
    if (!take_integer(m, (size_t)size, true, &value))
        return cut_short(m);
    return push(m, (attn_pickle_value){.type = ATTN_PICKLE_INTEGER, .as.integer = value});
}

static attn_status run_float(machine *m, int argument)
{
    attn_bytes bytes;
    (void)argument;
    if (!attn_cursor_take(&m->cursor, 8, &bytes))
        return cut_short(m);
    return push(m, (attn_pickle_value){.type = ATTN_PICKLE_FLOAT,
                                       .as.number = attn_double_of_bits(attn_load_u64_big(bytes.data))});
}

static attn_status push_text(machine *m, size_t length_size, uint32_t type)
{
    int64_t size;
    attn_bytes text;
    if (!take_integer(m, length_size, false, &size))
        return cut_short(m);
    if (size < 0 || size > INT32_MAX || !attn_cursor_take(&m->cursor, (uint64_t)size, &text))
        return fail(m, "a text is longer than what is left");
    return push(m, (attn_pickle_value){.type = type, .size = (uint32_t)text.size, .as.bytes = text.data});
}

static attn_status run_text(machine *m, int argument)
{
    return push_text(m, (size_t)argument, ATTN_PICKLE_TEXT);
}

static attn_status run_bytes(machine *m, int argument)
{
    return push_text(m, (size_t)argument, ATTN_PICKLE_BYTES);
}

/* What is built of other values */

static attn_status make_tuple(machine *m, size_t n)
{
    attn_pickle_value *items = make(m, n > 0 ? n : 1, sizeof *items);
    if (items == NULL)
        return m->error->status;
    if (n > 0)
        memcpy(items, m->stack + (m->n - n), n * sizeof *items);
    m->n -= n;
    return push(m, (attn_pickle_value){.type = ATTN_PICKLE_TUPLE, .size = (uint32_t)n, .as.items = items});
}

static attn_status run_tuple(machine *m, int argument)
{
    if (argument > 0 && top(m, (size_t)argument) == NULL)
        return ATTN_EDATA;
    return make_tuple(m, (size_t)argument);
}

static attn_status run_tuple_to_mark(machine *m, int argument)
{
    size_t n;
    (void)argument;
    if (!count_to_mark(m, &n))
        return ATTN_EDATA;
    attn_status status = n <= UINT32_MAX ? make_tuple(m, n) : fail(m, "too long a tuple");
    if (status == ATTN_OK) { /* it lies over the mark */
        m->stack[m->n - 2] = m->stack[m->n - 1];
        m->n--;
    }
    return status;
}

/* ARGUMENT: its type. */
static attn_status run_empty(machine *m, int argument)
{
    attn_pickle_list *list = make(m, 1, sizeof *list);
    if (list == NULL)
        return m->error->status;
    *list = (attn_pickle_list){0};
    return push(m, (attn_pickle_value){.type = (uint32_t)argument, .as.list = list});
}

/* The N uppermost values go into the list or dictionary below them, over MARKS marks. */
static attn_status put_items(machine *m, size_t n, size_t marks, uint32_t type)
{
    attn_pickle_chunk *chunk;
    if (m->n < n + marks + 1 || m->stack[m->n - n - marks - 1].type != type)
        return fail(m, type == ATTN_PICKLE_LIST ? "items for what is no list" : "items for what is no dictionary");
    if (type == ATTN_PICKLE_DICT && n % 2 != 0)
        return fail(m, "a key without a value");
    attn_pickle_list *list = m->stack[m->n - n - marks - 1].as.list;
    const attn_pickle_value *items = m->stack + (m->n - n);
    m->n -= n + marks;
    if (n == 0)
        return ATTN_OK;
    chunk = make(m, sizeof *chunk + n * sizeof *items, 1);
    if (chunk == NULL)
        return m->error->status;
    chunk->next = NULL;
    chunk->n = n;
    memcpy(chunk->items, items, n * sizeof *items);
    if (list->last != NULL)
        list->last->next = chunk;
    else
        list->first = chunk;
    list->last = chunk;
    return ATTN_OK;
}

/* ARGUMENT: ATTN_PICKLE_LIST or ATTN_PICKLE_DICT, as in run_items. */
static attn_status run_item(machine *m, int argument)
{
    const size_t n = argument == ATTN_PICKLE_DICT ? 2 : 1;
    return top(m, n) == NULL ? ATTN_EDATA : put_items(m, n, 0, (uint32_t)argument);
}

static attn_status run_items(machine *m, int argument)
{
    size_t n;
    return count_to_mark(m, &n) ? put_items(m, n, 1, (uint32_t)argument) : ATTN_EDATA;
}

/* The stack and the memo */

static attn_status run_mark(machine *m, int argument)
{
    (void)argument;
    return push(m, (attn_pickle_value){.type = ATTN_PICKLE_MARK});
}

static attn_status run_pop(machine *m, int argument)
{
    (void)argument;
    if (m->n == 0)
        return fail(m, "an operation finds no value");
    m->n--;
    return ATTN_OK;
}

static attn_status run_pop_mark(machine *m, int argument)
{
    size_t n;
    (void)argument;
    if (!count_to_mark(m, &n))
        return ATTN_EDATA;
    m->n -= n + 1;
    return ATTN_OK;
}

static attn_status run_duplicate(machine *m, int argument)
{
    const attn_pickle_value *value = top(m, 1);
    (void)argument;
    return value != NULL ? push(m, *value) : ATTN_EDATA;
}

/* ARGUMENT: how many bytes the place has; 0: the next free one. */
static attn_status run_put(machine *m, int argument)
{
    const attn_pickle_value *value = top(m, 1);
    int64_t place = (int64_t)m->n_memo;
    if (value == NULL)
        return ATTN_EDATA;
    if (argument > 0 && !take_integer(m, (size_t)argument, false, &place))
        return cut_short(m);
    if ((uint64_t)place > m->cursor.position) /* each place is put by an operation of its own */
        return fail(m, "a place in the memo that is far beyond the last one");
    while (m->n_memo <= (size_t)place) {
        attn_status status = grow(m, &m->memo, &m->memo_capacity, m->n_memo);
        if (status != ATTN_OK)
            return status;
        m->memo[m->n_memo++] = (attn_pickle_value){.type = ATTN_PICKLE_MARK};
    }
    m->memo[place] = *value;
    return ATTN_OK;
}

static attn_status run_get(machine *m, int argument)
{
    int64_t place;
    if (!take_integer(m, (size_t)argument, false, &place))
        return cut_short(m);
    if ((uint64_t)place >= m->n_memo || is_mark(&m->memo[place]))
        return fail(m, "it gets from the memo what was never put there");
    return push(m, m->memo[place]);
}

/* What lies outside the pickle */

static bool take_line(machine *m, attn_bytes *line)
{
    const size_t left = attn_cursor_left(&m->cursor);
    const uint8_t *from = m->cursor.bytes.data + m->cursor.position;
    const uint8_t *end = left > 0 ? memchr(from, '\n', left) : NULL;
    if (end == NULL)
        return false;
    return attn_cursor_take(&m->cursor, (uint64_t)(end - from), line) && attn_cursor_skip(&m->cursor, 1);
}

/* A hook's error, with the place of what it was asked. */
static attn_status placed(machine *m, attn_status status)
{
    if (status != ATTN_OK && status != ATTN_ENOMEM)
        attn_error_prefix(m->error, "byte %zu of the pickle: ", m->at);
    return status;
}

static attn_status push_global(machine *m, attn_bytes module, attn_bytes name)
{
    attn_pickle_value value = {0};
    attn_status status = placed(m, m->hooks->global(m->hooks->context, module, name, &value, m->error));
    return status == ATTN_OK ? push(m, value) : status;
}

static attn_status run_global(machine *m, int argument)
{
    attn_bytes module, name;
    (void)argument;
    return take_line(m, &module) && take_line(m, &name) ? push_global(m, module, name) : cut_short(m);
}

static attn_status run_stack_global(machine *m, int argument)
{
    const attn_pickle_value *names = top(m, 2);
    (void)argument;
    if (names == NULL)
        return ATTN_EDATA;
    if (names[0].type != ATTN_PICKLE_TEXT || names[1].type != ATTN_PICKLE_TEXT)
        return fail(m, "a global's name that is no text");
    m->n -= 2;
    return push_global(m, attn_pickle_text(&names[0]), attn_pickle_text(&names[1]));
}

static attn_status run_persistent(machine *m, int argument)
{
    attn_pickle_value value = {0};
    const attn_pickle_value *id = top(m, 1);
    (void)argument;
    if (id == NULL)
        return ATTN_EDATA;
    attn_status status = placed(m, m->hooks->persistent(m->hooks->context, id, &value, m->error));
    m->n--;
    return status == ATTN_OK ? push(m, value) : status;
}

static attn_status run_call(machine *m, int argument)
{
    attn_pickle_value value = {0};
    const attn_pickle_value *call = top(m, 2);
    (void)argument;
    if (call == NULL)
        return ATTN_EDATA;
    if (call[0].type != ATTN_PICKLE_FOREIGN || call[1].type != ATTN_PICKLE_TUPLE)
        return fail(m, "a call of what can not be called");
    attn_status status = placed(m, m->hooks->call(m->hooks->context, &call[0], &call[1], &value, m->error));
    if (status != ATTN_OK)
        return status;
    m->n -= 2;
    return value.type == ATTN_PICKLE_DICT ? run_empty(m, ATTN_PICKLE_DICT) : push(m, value);
}

/* Attributes of a dictionary (OrderedDict's), which say nothing of its items. */
static attn_status run_build(machine *m, int argument)
{
    const attn_pickle_value *values = top(m, 2);
    (void)argument;
    if (values == NULL)
        return ATTN_EDATA;
    if (values[0].type != ATTN_PICKLE_DICT)
        return fail(m, "attributes for what has none");
    m->n--;
    return ATTN_OK;
}

static attn_status run_protocol(machine *m, int argument)
{
    uint8_t protocol;
    (void)argument;
    if (!attn_cursor_u8(&m->cursor, &protocol))
        return cut_short(m);
    if (protocol < FIRST_PROTOCOL || protocol > LAST_PROTOCOL)
        return attn_fail(m->error, ATTN_EUNSUPPORTED, "the pickle is of protocol %d; attn reads 2 to 5", protocol);
    return ATTN_OK;
}

/* A frame only says how much to read at once. */
static attn_status run_frame(machine *m, int argument)
{
    return attn_cursor_skip(&m->cursor, (uint64_t)argument) ? ATTN_OK : cut_short(m);
}

static attn_status run_stop(machine *m, int argument)
{
    (void)argument;
    if (top(m, 1) == NULL)
        return ATTN_EDATA;
    m->stopped = true;
    return ATTN_OK;
}

static const operation operations[256] = {
    ['.'] = {run_stop, 0},
    [0x80] = {run_protocol, 0},
    [0x95] = {run_frame, 8},
    ['N'] = {run_none, 0},
    [0x88] = {run_bool, 1},
    [0x89] = {run_bool, 0},
    ['K'] = {run_integer, 1},
    ['M'] = {run_integer, 2},
    ['J'] = {run_integer, 4},
    [0x8a] = {run_long, 1},
    [0x8b] = {run_long, 4},
    ['G'] = {run_float, 0},
    [0x8c] = {run_text, 1},
    ['X'] = {run_text, 4},
    [0x8d] = {run_text, 8},
    ['U'] = {run_text, 1},
    ['T'] = {run_text, 4},
    ['C'] = {run_bytes, 1},
    ['B'] = {run_bytes, 4},
    [0x8e] = {run_bytes, 8},
    [')'] = {run_tuple, 0},
    [0x85] = {run_tuple, 1},
    [0x86] = {run_tuple, 2},
    [0x87] = {run_tuple, 3},
    ['t'] = {run_tuple_to_mark, 0},
    [']'] = {run_empty, ATTN_PICKLE_LIST},
    ['}'] = {run_empty, ATTN_PICKLE_DICT},
    ['a'] = {run_item, ATTN_PICKLE_LIST},
    ['s'] = {run_item, ATTN_PICKLE_DICT},
    ['e'] = {run_items, ATTN_PICKLE_LIST},
    ['u'] = {run_items, ATTN_PICKLE_DICT},
    ['('] = {run_mark, 0},
    ['0'] = {run_pop, 0},
    ['1'] = {run_pop_mark, 0},
    ['2'] = {run_duplicate, 0},
    ['q'] = {run_put, 1},
    ['r'] = {run_put, 4},
    [0x94] = {run_put, 0},
    ['h'] = {run_get, 1},
    ['j'] = {run_get, 4},
    ['c'] = {run_global, 0},
    [0x93] = {run_stack_global, 0},
    ['Q'] = {run_persistent, 0},
    ['R'] = {run_call, 0},
    [0x81] = {run_call, 0},
    ['b'] = {run_build, 0},
};

static attn_status step(machine *m)
{
    uint8_t code;
    m->at = m->cursor.position;
    if (!attn_cursor_u8(&m->cursor, &code))
        return fail(m, "it has no end");
    if (operations[code].run == NULL)
        return attn_fail(m->error, ATTN_EUNSUPPORTED,
                         "the pickle's operation 0x%02X at byte %zu is none that attn runs", code, m->at);
    return operations[code].run(m, operations[code].argument);
}

attn_status attn_pickle_read(attn_bytes bytes, const attn_pickle_hooks *hooks, attn_arena *arena,
                             attn_pickle_value *result, attn_error *error)
{
    attn_error own;
    machine m = {.cursor = attn_cursor_at(bytes), .hooks = hooks, .arena = arena};
    attn_status status = ATTN_OK;
    m.error = error != NULL ? error : &own;
    if (bytes.size > (SIZE_MAX - COST_ALLOWANCE) / COST_LIMIT)
        return attn_fail_memory(error);
    m.most = bytes.size * COST_LIMIT + COST_ALLOWANCE;
    while (status == ATTN_OK && !m.stopped)
        status = step(&m);
    if (status == ATTN_OK)
        *result = m.stack[m.n - 1];
    attn_free(m.stack);
    attn_free(m.memo);
    return status;
}
