#pragma once

// The thinnest door to simdjson's DOM parser: bytes go in, a tape comes out, and Swift walks the tape by itself.
//
// The tape is an array of 64-bit words. The top byte of a word says what it is, the lower 56 bits are its payload:
//   'r' root            '"' string: offset into `strings`, where a 32-bit length and then the UTF-8 bytes lie
//   '{' '[' opening     payload: low 32 bits the index after the closing word, next 24 bits the count of elements
//   '}' ']' closing     'l' 'u' 'd' numbers: Int64, UInt64 or Double in the word that follows
//   't' 'f' 'n' true, false, null
// The value itself begins at index 1.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cjson_parser cjson_parser;

typedef enum {
    CJSON_OK = 0,
    CJSON_EMPTY,
    CJSON_TOO_LARGE,
    CJSON_OUT_OF_MEMORY,
    CJSON_TOO_DEEP,
    CJSON_INVALID_UTF8,
    CJSON_INVALID_STRING,
    CJSON_INVALID_LITERAL,
    CJSON_INVALID_NUMBER,
    CJSON_INVALID_STRUCTURE,
} cjson_result;

/// NULL when there is no memory.
cjson_parser *cjson_parser_create(void);
void cjson_parser_destroy(cjson_parser *parser);

/// Parses a copy of the bytes; the tape of an earlier parse is lost. `depth` counts nested arrays and objects.
cjson_result cjson_parser_parse(cjson_parser *parser, const void *bytes, size_t length, size_t depth);

/// Both stay valid until the next parse.
const uint64_t *cjson_parser_tape(const cjson_parser *parser);
const uint8_t *cjson_parser_strings(const cjson_parser *parser);

/// How large a text the buffers held by the parser are made for, in bytes.
size_t cjson_parser_capacity(const cjson_parser *parser);

#ifdef __cplusplus
}
#endif
