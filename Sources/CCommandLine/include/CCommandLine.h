// getopt_long of the C library as one call that returns a value.
//
// Swift's Glibc module does not have getopt_long, and Swift 6 refuses the mutable globals (`optind`, `optarg`) that
// it reports through. Here they stay inside: each call hands back what was found and how far the reading came.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const char *name;
    int takes_value;
} command_line_option;

enum {
    COMMAND_LINE_END = 0,            // the end, or "--": what follows `next` is words, whatever they look like
    COMMAND_LINE_OPTION = 1,         // `option` is its index, `value` its value or NULL
    COMMAND_LINE_ARGUMENT = 2,       // `value` is a word that is no option
    COMMAND_LINE_UNKNOWN = 3,        // `value` is the word as typed
    COMMAND_LINE_MISSING_VALUE = 4,  // `option` wants a value and the line ended
};

typedef struct {
    int kind;
    int option;
    const char *value;
    int next;  // hand this to the next call
} command_line_item;

// Reads the item of `arguments[position...]`; start with position 1, element 0 being the program's name. Letters are
// not used as options, except -h, which stands for "help". Not reentrant: called by one thread, from first to last.
command_line_item command_line_next(int count, char *const *arguments, int position,
                                    const command_line_option *options, int option_count);

#ifdef __cplusplus
}
#endif
