#pragma once

// GNU libmicrohttpd, and what of it is variadic, which Swift cannot call.

#include <microhttpd.h>

/// How to start a daemon. Its threads share the listening socket and wait with poll: libmicrohttpd's epoll modes stall
/// when a multiple of 128 connections is ready at once.
struct chttp_options {
    /// Bound, listening, non-blocking. Stays the caller's.
    int listen_socket;
    unsigned int threads;
    unsigned int connection_limit;
    /// Bytes for each connection's headers and for what is read at a time.
    size_t connection_memory;
    unsigned int idle_timeout_seconds;
    /// PEM, both or neither; must live as long as the daemon.
    const char *certificate;
    const char *private_key;

    /// Handed to every function below.
    void *context;
    MHD_AccessHandlerCallback handle;
    /// Gets the request target as it was received; answers the request's first `con_cls`.
    void *(*begin)(void *context, const char *target, struct MHD_Connection *connection);
    MHD_RequestCompletedCallback complete;
    MHD_NotifyConnectionCallback notify_connection;
    void (*log)(void *context, const char *message);
};

/// Lets the process keep what it freed for the next answer, up to 8 MB an arena. By its own lights, glibc gives the memory
/// of each answer of 100 KB and more back to the kernel and takes it again page by page.
void chttp_keep_memory(void);

/// NULL when the daemon does not start.
struct MHD_Daemon *chttp_start(const struct chttp_options *options);

/// -1 when it is not known.
int chttp_connection_socket(struct MHD_Connection *connection);

/// The peer's address, or NULL. Valid as long as the connection.
const struct sockaddr *chttp_connection_address(struct MHD_Connection *connection);

/// What `notify_connection` stored for the connection.
void *chttp_connection_context(struct MHD_Connection *connection);
