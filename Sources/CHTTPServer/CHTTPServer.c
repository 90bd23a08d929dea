#include "CHTTPServer.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>

// libmicrohttpd logs through a va_list, which Swift cannot take either.
static void log_line(void *cls, const char *format, va_list arguments) {
    const struct chttp_options *options = cls;
    char line[512];
    vsnprintf(line, sizeof line, format, arguments);
    options->log(options->context, line);
}

// The request target is left as it is: Swift decodes it, strictly.
static size_t leave_escaped(void *cls, struct MHD_Connection *connection, char *text) {
    (void)cls;
    (void)connection;
    size_t length = 0;
    while (text[length] != '\0') length++;
    return length;
}

void chttp_keep_memory(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 2 << 20);
    mallopt(M_TRIM_THRESHOLD, 8 << 20);
#endif
}

struct MHD_Daemon *chttp_start(const struct chttp_options *options) {
    unsigned int flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)options->certificate},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)options->private_key},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    if (options->certificate != NULL) flags |= MHD_USE_TLS;

    return MHD_start_daemon(
        flags, 0, NULL, NULL, options->handle, options->context,
        MHD_OPTION_EXTERNAL_LOGGER, log_line, (void *)options,
        MHD_OPTION_LISTEN_SOCKET, options->listen_socket,
        MHD_OPTION_THREAD_POOL_SIZE, options->threads,
        MHD_OPTION_CONNECTION_LIMIT, options->connection_limit,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, options->connection_memory,
        MHD_OPTION_CONNECTION_TIMEOUT, options->idle_timeout_seconds,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_URI_LOG_CALLBACK, options->begin, options->context,
        MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped, NULL,
        MHD_OPTION_NOTIFY_COMPLETED, options->complete, options->context,
        MHD_OPTION_NOTIFY_CONNECTION, options->notify_connection, options->context,
        MHD_OPTION_ARRAY, options->certificate != NULL ? tls : none,
        MHD_OPTION_END);
}

int chttp_connection_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

const struct sockaddr *chttp_connection_address(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info == NULL ? NULL : info->client_addr;
}

void *chttp_connection_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}
