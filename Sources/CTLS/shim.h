// What of OpenSSL's TLS and certificates is a macro, which Swift cannot call. The rest Swift calls itself.
#pragma once
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

static inline int ctls_set_minimum_version(SSL_CTX *context, int version) {
    return SSL_CTX_set_min_proto_version(context, version);
}

static inline int ctls_set_host_name(SSL *session, const char *host) { return SSL_set_tlsext_host_name(session, host); }

static inline int ctls_general_name_count(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }

static inline const GENERAL_NAME *ctls_general_name(const GENERAL_NAMES *names, int index) {
    return sk_GENERAL_NAME_value(names, index);
}
