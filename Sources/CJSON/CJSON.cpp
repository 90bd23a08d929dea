#include "CJSON.h"

#include <simdjson.h>

#include <new>

struct cjson_parser {
    simdjson::dom::parser parser;
};

static cjson_result result_of(simdjson::error_code error) {
    switch (error) {
    case simdjson::SUCCESS: return CJSON_OK;
    case simdjson::EMPTY: return CJSON_EMPTY;
    case simdjson::CAPACITY: return CJSON_TOO_LARGE;
    case simdjson::MEMALLOC: return CJSON_OUT_OF_MEMORY;
    case simdjson::DEPTH_ERROR: return CJSON_TOO_DEEP;
    case simdjson::UTF8_ERROR: return CJSON_INVALID_UTF8;
    case simdjson::STRING_ERROR:
    case simdjson::UNESCAPED_CHARS:
    case simdjson::UNCLOSED_STRING: return CJSON_INVALID_STRING;
    case simdjson::T_ATOM_ERROR:
    case simdjson::F_ATOM_ERROR:
    case simdjson::N_ATOM_ERROR: return CJSON_INVALID_LITERAL;
    case simdjson::NUMBER_ERROR:
    case simdjson::NUMBER_OUT_OF_RANGE: return CJSON_INVALID_NUMBER;
    default: return CJSON_INVALID_STRUCTURE;
    }
}

cjson_parser *cjson_parser_create(void) {
    return new (std::nothrow) cjson_parser;
}

void cjson_parser_destroy(cjson_parser *parser) {
    delete parser;
}

cjson_result cjson_parser_parse(cjson_parser *self, const void *bytes, size_t length, size_t depth) {
    simdjson::dom::parser &parser = self->parser;
    // simdjson refuses what would make a scope one deeper than its limit, which counts the root as well.
    const size_t limit = depth + 1;
    if (parser.capacity() < length || parser.capacity() == 0 || parser.max_depth() != limit) {
        // Powers of two, so that texts of slowly growing length do not allocate each time.
        size_t capacity = 4096;
        while (capacity < length) capacity *= 2;
        if (capacity > parser.max_capacity()) capacity = parser.max_capacity();
        if (capacity < length) return CJSON_TOO_LARGE;
        if (simdjson::error_code error = parser.allocate(capacity, limit)) return result_of(error);
        if (simdjson::error_code error = parser.doc.allocate(capacity)) return result_of(error);
    }
    return result_of(parser.parse(static_cast<const uint8_t *>(bytes), length, true).error());
}

const uint64_t *cjson_parser_tape(const cjson_parser *self) {
    return self->parser.doc.tape.get();
}

const uint8_t *cjson_parser_strings(const cjson_parser *self) {
    return self->parser.doc.string_buf.get();
}

size_t cjson_parser_capacity(const cjson_parser *self) {
    return self->parser.capacity();
}
