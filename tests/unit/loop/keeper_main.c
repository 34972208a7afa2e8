/* keeper_main.c - a program with nothing but the verb `keep`, for tests of loop/proc.c. */
#include "sandbox/keep.h"

int main(int argc, char **argv)
{
    return keep_main(argc - 1, argv + 1);
}
