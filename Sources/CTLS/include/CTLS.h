// A connection to a server, plain or over TLS, and a look into certificate files, through OpenSSL.
//
// For the few requests that the program itself makes (`login`, `whoami`, `doctor`): Foundation's networking would cost
// every server that the same program runs 7 MB and 15 ms.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tls_connection tls_connection;

typedef enum {
    TLS_OK = 0,
    TLS_NO_ADDRESS,    // the name has no address
    TLS_NO_CONNECTION, // nothing listens there, or it is too far away
    TLS_REFUSED,       // the handshake failed; the text says why (an unknown issuer, another name, an old date)
    TLS_TIMEOUT,
    TLS_BROKEN,        // the connection ended in the middle
} tls_status;

// Connects within `seconds`; the same limit then holds for each read and write. `authorities` is a file of certificates
// to trust besides the system's, or NULL. `text` receives up to `capacity` bytes about a failure.
tls_status tls_connect(const char *host, const char *port, int secure, const char *authorities, int seconds,
                       tls_connection **connection, char *text, size_t capacity);
tls_status tls_write(tls_connection *connection, const void *bytes, size_t count);
// `count` receives how many bytes came; 0 at the end of the stream.
tls_status tls_read(tls_connection *connection, void *bytes, size_t capacity, size_t *count);
void tls_close(tls_connection *connection);

typedef struct {
    int readable;        // 0: the file holds no certificate in PEM form
    int64_t not_before;  // seconds since 1970
    int64_t not_after;
    int self_signed;
    int key_readable;    // 0: the key file holds no private key in PEM form
    int key_matches;
    char names[512];     // the DNS names and addresses it is for, separated by blanks
} tls_certificate;

// Reads the first certificate of a file and, where `key_path` is not NULL, compares it with the private key there.
tls_certificate tls_inspect_certificate(const char *path, const char *key_path);

#ifdef __cplusplus
}
#endif
