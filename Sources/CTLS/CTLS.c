#include "CTLS.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <fcntl.h>

struct tls_connection {
    int socket;
    SSL_CTX *context;
    SSL *session;  // NULL on a plain connection
};

static void explain(char *text, size_t capacity, const char *reason) {
    if (text != NULL && capacity > 0) snprintf(text, capacity, "%s", reason == NULL ? "" : reason);
}

static int open_socket(const struct addrinfo *address, int seconds) {
    const int descriptor = socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC, address->ai_protocol);
    if (descriptor < 0) return -1;
    const int flags = fcntl(descriptor, F_GETFL);
    fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
    int result = connect(descriptor, address->ai_addr, address->ai_addrlen);
    if (result != 0 && errno == EINPROGRESS) {
        struct pollfd waiting = {descriptor, POLLOUT, 0};
        if (poll(&waiting, 1, seconds * 1000) == 1) {
            int error = 0;
            socklen_t size = sizeof error;
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
            errno = error;
            result = error == 0 ? 0 : -1;
        } else {
            errno = ETIMEDOUT;
            result = -1;
        }
    }
    if (result != 0) {
        const int saved = errno;
        close(descriptor);
        errno = saved;
        return -1;
    }
    fcntl(descriptor, F_SETFL, flags);
    struct timeval limit = {seconds, 0};
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    return descriptor;
}

static tls_status shake_hands(tls_connection *connection, const char *host, const char *authorities, char *text,
                              size_t capacity) {
    connection->context = SSL_CTX_new(TLS_client_method());
    if (connection->context == NULL) return TLS_REFUSED;
    SSL_CTX_set_min_proto_version(connection->context, TLS1_2_VERSION);
    SSL_CTX_set_default_verify_paths(connection->context);
    SSL_CTX_set_verify(connection->context, SSL_VERIFY_PEER, NULL);
    if (authorities != NULL && SSL_CTX_load_verify_locations(connection->context, authorities, NULL) != 1) {
        explain(text, capacity, "the file of trusted certificates cannot be read");
        return TLS_REFUSED;
    }
    connection->session = SSL_new(connection->context);
    if (connection->session == NULL) return TLS_REFUSED;
    unsigned char numeric[sizeof(struct in6_addr)];
    X509_VERIFY_PARAM *rules = SSL_get0_param(connection->session);
    if (inet_pton(AF_INET, host, numeric) == 1 || inet_pton(AF_INET6, host, numeric) == 1) {
        X509_VERIFY_PARAM_set1_ip_asc(rules, host);
    } else {
        SSL_set_tlsext_host_name(connection->session, host);
        SSL_set1_host(connection->session, host);
    }
    SSL_set_fd(connection->session, connection->socket);
    if (SSL_connect(connection->session) == 1) return TLS_OK;
    const long verified = SSL_get_verify_result(connection->session);
    if (verified != X509_V_OK) {
        explain(text, capacity, X509_verify_cert_error_string(verified));
    } else {
        explain(text, capacity, ERR_reason_error_string(ERR_peek_last_error()));
    }
    return TLS_REFUSED;
}

tls_status tls_connect(const char *host, const char *port, int secure, const char *authorities, int seconds,
                       tls_connection **connection, char *text, size_t capacity) {
    explain(text, capacity, "");
    *connection = NULL;
    struct addrinfo hints = {0};
    hints.ai_socktype = SOCK_STREAM;
    struct addrinfo *addresses = NULL;
    const int lookup = getaddrinfo(host, port, &hints, &addresses);
    if (lookup != 0) {
        explain(text, capacity, gai_strerror(lookup));
        return TLS_NO_ADDRESS;
    }
    int descriptor = -1;
    for (struct addrinfo *address = addresses; address != NULL && descriptor < 0; address = address->ai_next) {
        descriptor = open_socket(address, seconds);
    }
    freeaddrinfo(addresses);
    if (descriptor < 0) {
        explain(text, capacity, strerror(errno));
        return errno == ETIMEDOUT ? TLS_TIMEOUT : TLS_NO_CONNECTION;
    }
    tls_connection *made = calloc(1, sizeof *made);
    if (made == NULL) {
        close(descriptor);
        return TLS_BROKEN;
    }
    made->socket = descriptor;
    if (secure) {
        const tls_status status = shake_hands(made, host, authorities, text, capacity);
        if (status != TLS_OK) {
            tls_close(made);
            return status;
        }
    }
    *connection = made;
    return TLS_OK;
}

tls_status tls_write(tls_connection *connection, const void *bytes, size_t count) {
    const char *rest = bytes;
    while (count > 0) {
        size_t written = 0;
        if (connection->session != NULL) {
            if (SSL_write_ex(connection->session, rest, count, &written) != 1) return TLS_BROKEN;
        } else {
            const ssize_t sent = send(connection->socket, rest, count, MSG_NOSIGNAL);
            if (sent < 0 && errno == EINTR) continue;
            if (sent < 0) return errno == EAGAIN ? TLS_TIMEOUT : TLS_BROKEN;
            written = (size_t)sent;
        }
        rest += written;
        count -= written;
    }
    return TLS_OK;
}

tls_status tls_read(tls_connection *connection, void *bytes, size_t capacity, size_t *count) {
    *count = 0;
    if (connection->session != NULL) {
        if (SSL_read_ex(connection->session, bytes, capacity, count) == 1) return TLS_OK;
        const int error = SSL_get_error(connection->session, 0);
        if (error == SSL_ERROR_ZERO_RETURN) return TLS_OK;
        return error == SSL_ERROR_WANT_READ ? TLS_TIMEOUT : TLS_BROKEN;
    }
    for (;;) {
        const ssize_t received = recv(connection->socket, bytes, capacity, 0);
        if (received >= 0) {
            *count = (size_t)received;
            return TLS_OK;
        }
        if (errno == EINTR) continue;
        return errno == EAGAIN ? TLS_TIMEOUT : TLS_BROKEN;
    }
}

void tls_close(tls_connection *connection) {
    if (connection == NULL) return;
    if (connection->session != NULL) {
        SSL_shutdown(connection->session);
        SSL_free(connection->session);
    }
    if (connection->context != NULL) SSL_CTX_free(connection->context);
    close(connection->socket);
    free(connection);
}

static int64_t seconds_since_1970(const ASN1_TIME *time) {
    struct tm broken_down;
    if (time == NULL || ASN1_TIME_to_tm(time, &broken_down) != 1) return 0;
    return (int64_t)timegm(&broken_down);
}

static void append_name(tls_certificate *result, const char *name, size_t length) {
    const size_t used = strlen(result->names);
    if (length == 0 || used + length + 2 > sizeof result->names) return;
    snprintf(result->names + used, sizeof result->names - used, "%s%.*s", used > 0 ? " " : "", (int)length, name);
}

static void collect_names(X509 *certificate, tls_certificate *result) {
    GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    if (names == NULL) return;
    for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
        const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
        if (name->type == GEN_DNS) {
            append_name(result, (const char *)ASN1_STRING_get0_data(name->d.dNSName),
                        (size_t)ASN1_STRING_length(name->d.dNSName));
        } else if (name->type == GEN_IPADD) {
            char text[INET6_ADDRSTRLEN] = "";
            const int family = ASN1_STRING_length(name->d.iPAddress) == 4 ? AF_INET : AF_INET6;
            if (inet_ntop(family, ASN1_STRING_get0_data(name->d.iPAddress), text, sizeof text) != NULL) {
                append_name(result, text, strlen(text));
            }
        }
    }
    GENERAL_NAMES_free(names);
}

tls_certificate tls_inspect_certificate(const char *path, const char *key_path) {
    tls_certificate result;
    memset(&result, 0, sizeof result);
    FILE *file = fopen(path, "re");
    if (file == NULL) return result;
    X509 *certificate = PEM_read_X509(file, NULL, NULL, NULL);
    fclose(file);
    if (certificate == NULL) return result;
    result.readable = 1;
    result.not_before = seconds_since_1970(X509_get0_notBefore(certificate));
    result.not_after = seconds_since_1970(X509_get0_notAfter(certificate));
    result.self_signed = X509_NAME_cmp(X509_get_subject_name(certificate), X509_get_issuer_name(certificate)) == 0;
    collect_names(certificate, &result);
    file = key_path == NULL ? NULL : fopen(key_path, "re");
    if (file != NULL) {
        // An encrypted key would ask the terminal for its password; an empty one makes that a failure instead.
        EVP_PKEY *key = PEM_read_PrivateKey(file, NULL, NULL, "");
        fclose(file);
        if (key != NULL) {
            result.key_readable = 1;
            result.key_matches = X509_check_private_key(certificate, key) == 1;
            EVP_PKEY_free(key);
        }
    }
    X509_free(certificate);
    return result;
}
