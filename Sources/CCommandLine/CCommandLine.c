#include "CCommandLine.h"

#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_OPTION = 1000 };

static int index_of(const char *name, const command_line_option *options, int option_count) {
    for (int i = 0; i < option_count; i++) {
        if (strcmp(options[i].name, name) == 0) return i;
    }
    return -1;
}

command_line_item command_line_next(int count, char *const *arguments, int position,
                                    const command_line_option *options, int option_count) {
    command_line_item item = {COMMAND_LINE_END, -1, NULL, position};
    struct option *table = calloc((size_t)option_count + 1, sizeof *table);
    if (table == NULL) return item;
    for (int i = 0; i < option_count; i++) {
        table[i].name = options[i].name;
        table[i].has_arg = options[i].takes_value ? required_argument : no_argument;
        table[i].val = FIRST_OPTION + i;
    }

    opterr = 0;
    // 0 makes glibc forget what an earlier call left behind; it then starts at 1, so a later start is set after.
    if (position <= 1) {
        optind = 0;
    } else {
        optind = position;
    }
    optarg = NULL;
    const int word = position < 1 ? 1 : position;
    // "-": words that are no option are reported in their place. ":": a missing value is told apart from an unknown.
    const int found = getopt_long(count, arguments, "-:h", table, NULL);
    free(table);
    item.next = optind;

    if (found == -1) {
        item.kind = COMMAND_LINE_END;
    } else if (found == 1) {
        item.kind = COMMAND_LINE_ARGUMENT;
        item.value = optarg;
    } else if (found == 'h') {
        item.option = index_of("help", options, option_count);
        item.kind = item.option >= 0 ? COMMAND_LINE_OPTION : COMMAND_LINE_UNKNOWN;
        item.value = item.option >= 0 ? NULL : "-h";
    } else if (found >= FIRST_OPTION) {
        item.kind = COMMAND_LINE_OPTION;
        item.option = found - FIRST_OPTION;
        item.value = optarg;
    } else if (found == ':') {
        item.kind = COMMAND_LINE_MISSING_VALUE;
        item.option = optopt - FIRST_OPTION;
    } else {
        item.kind = COMMAND_LINE_UNKNOWN;
        item.value = word < count ? arguments[word] : "";
    }
    return item;
}
