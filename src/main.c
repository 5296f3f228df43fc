/* main.c: start, run, exit status. */
#include "config.h"

#include "base/hash.h"
#include "cli/run.h"

int main(int argc, char **argv)
{
    attn_hash_draw();
    return attn_cli_run(argc, argv);
}
