/* main.c: start, run, exit status. */
#include "config.h"

#include "cli/run.h"

int main(int argc, char **argv)
{
    return attn_cli_run(argc, argv);
}
