#define _GNU_SOURCE
#include "CDevices.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

// As long as a push of Stratus is.
static const char answer[] =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 238\r\n\r\n"
    "{\"aps\":{\"content-available\":1},\"ck\":{\"ce\":2,\"cid\":\"iCloud.bench\",\"nid\":\"01234567-89ab-cdef-0123-456789abcdef\","
    "\"ckuserid\":\"_0123456789abcdef0123456789abcdef\",\"met\":{\"sid\":\"CKSyncEngine\",\"dbs\":2,\"zones\":[{\"zid\":\"Events\",\"zoid\":\"_01234\"}]"
    "}}}";

struct client {
    int socket;
    bool waits;
    size_t filled;
    char request[4096];
};

struct bare_server {
    int listener, epoll, port;
    pthread_t thread;
    atomic_int is_stopped;
    // By descriptor, so that their order is no order of arrival.
    struct client *clients[65536];
    int highest;
};

static void say(int socket) {
    size_t sent = 0, length = sizeof answer - 1;
    while (sent < length) {
        ssize_t count = send(socket, answer + sent, length - sent, MSG_NOSIGNAL);
        if (count <= 0) return;
        sent += (size_t)count;
    }
}

static void tell(struct bare_server *server) {
    if (server->highest == 0) return;
    // From anywhere on: nobody is always the first.
    int start = rand() % (server->highest + 1);
    for (int i = 0; i <= server->highest; i++) {
        struct client *client = server->clients[(start + i) % (server->highest + 1)];
        if (!client || !client->waits) continue;
        client->waits = false;
        say(client->socket);
    }
}

static bool receive(struct bare_server *server, struct client *client) {
    ssize_t count = recv(
        client->socket, client->request + client->filled, sizeof client->request - 1 - client->filled, 0);
    if (count <= 0) return false;
    client->filled += (size_t)count;
    client->request[client->filled] = 0;
    if (!strstr(client->request, "\r\n\r\n")) return client->filled < sizeof client->request - 1;
    client->filled = 0;
    client->waits = strncmp(client->request, "GET /wait", 9) == 0;
    if (client->waits) return true;
    tell(server);
    say(client->socket);
    return true;
}

static void *run(void *context) {
    struct bare_server *server = context;
    struct epoll_event events[256];
    while (!atomic_load(&server->is_stopped)) {
        int count = epoll_wait(server->epoll, events, 256, 100);
        for (int i = 0; i < count; i++) {
            struct client *client = events[i].data.ptr;
            if (client) {
                if (receive(server, client)) continue;
                server->clients[client->socket] = NULL;
                close(client->socket);
                free(client);
                continue;
            }
            int socket = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);
            if (socket < 0) continue;
            int on = 1;
            setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            struct client *arrived = socket < 65536 ? calloc(1, sizeof *arrived) : NULL;
            if (!arrived) {
                close(socket);
                continue;
            }
            arrived->socket = socket;
            server->clients[socket] = arrived;
            if (socket > server->highest) server->highest = socket;
            struct epoll_event event = {.events = EPOLLIN, .data.ptr = arrived};
            epoll_ctl(server->epoll, EPOLL_CTL_ADD, socket, &event);
        }
    }
    return NULL;
}

bare_server *bare_server_start(void) {
    struct bare_server *server = calloc(1, sizeof *server);
    if (!server) return NULL;
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    server->epoll = epoll_create1(EPOLL_CLOEXEC);
    struct sockaddr_in address = {.sin_family = AF_INET};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    if (bind(server->listener, (struct sockaddr *)&address, sizeof address) != 0
        || listen(server->listener, 4096) != 0
        || getsockname(server->listener, (struct sockaddr *)&address, &length) != 0
        || epoll_ctl(server->epoll, EPOLL_CTL_ADD, server->listener, &event) != 0
        || pthread_create(&server->thread, NULL, run, server) != 0) {
        close(server->listener);
        close(server->epoll);
        free(server);
        return NULL;
    }
    server->port = ntohs(address.sin_port);
    return server;
}

int bare_server_port(const bare_server *server) { return server->port; }

void bare_server_stop(bare_server *server) {
    if (!server) return;
    atomic_store(&server->is_stopped, 1);
    pthread_join(server->thread, NULL);
    for (int i = 0; i <= server->highest; i++) {
        if (!server->clients[i]) continue;
        close(i);
        free(server->clients[i]);
    }
    close(server->listener);
    close(server->epoll);
    free(server);
}
