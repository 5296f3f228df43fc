/* tokens.c: the report `tokens`: how a text is cut, with byte offsets. Needs no embeddings. */
#include "config.h"

#include "report/kind.h"

static attn_status print_tokens(attn_report *report, attn_error *error)
{
    attn_status status = ATTN_OK;
    for (size_t i = 0; i < report->query_units.n_selected && status == ATTN_OK; i++) {
        size_t position = report->query_units.positions[i];
        const attn_token *token = &report->text->tokens->items[position];
        const bool made = token->id >= attn_tokenizer_size(report->model->tokenizer); /* no row of the vocabulary's */
        const attn_cell id = made ? (attn_cell){.type = ATTN_CELL_NONE} : attn_cell_count(token->id);
        const attn_cell cells[] = {attn_cell_count(position), id,
                                   attn_cell_label(attn_units_selected_label(&report->query_units, i)),
                                   attn_cell_count(token->start), attn_cell_count(token->end)};
        status = attn_report_record(report, cells, error);
    }
    return status;
}

const attn_report_kind attn_report_tokens = {
    .name = "tokens",
    .summary = "how the text is cut: ids, tokens, byte offsets",
    .columns = "text position id token start end",
    .any_length = true,
    .shape = ATTN_SHAPE_RECORDS,
    .takes = ATTN_TAKES_QUERIES,
    .text = print_tokens,
};
