#define _GNU_SOURCE
#include "CDevices.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct device {
    int socket;
    bool is_polling, is_told;
    char *poll_request;
    char token[512];
    char *answer;
    size_t filled, room;
};

struct herd {
    int port, count, epoll;
    struct device *devices;
    char *fetch_target, *zone;
    pthread_t thread;
    atomic_int waiting, failures, told, is_stopped, generation;
    int seen_generation;
    _Atomic double first, last;
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static bool send_all(int socket, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t count = send(socket, bytes, length, MSG_NOSIGNAL);
        if (count < 0 && errno == EAGAIN) {
            struct pollfd ready = {.fd = socket, .events = POLLOUT};
            poll(&ready, 1, 1000);
            continue;
        }
        if (count <= 0) return false;
        bytes += count;
        length -= (size_t)count;
    }
    return true;
}

static bool send_poll(struct herd *herd, struct device *device) {
    device->is_polling = true;
    atomic_fetch_add(&herd->waiting, 1);
    return send_all(device->socket, device->poll_request, strlen(device->poll_request));
}

static bool send_fetch(struct herd *herd, struct device *device) {
    char body[1024], request[4096];
    int length = device->token[0]
        ? snprintf(body, sizeof body, "{\"zones\":[{\"zoneID\":{\"zoneName\":\"%s\"},\"syncToken\":\"%s\"}],\"resultsLimit\":200}", herd->zone, device->token)
        : snprintf(body, sizeof body, "{\"zones\":[{\"zoneID\":{\"zoneName\":\"%s\"}}],\"resultsLimit\":200}", herd->zone);
    int whole = snprintf(
        request, sizeof request, "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: %d\r\n\r\n%s",
        herd->fetch_target, herd->port, length, body);
    return whole < (int)sizeof request && send_all(device->socket, request, (size_t)whole);
}

// An answer is whole. Returns whether the device goes on.
static bool take(struct herd *herd, struct device *device, const char *body) {
    if (strncmp(device->answer, "HTTP/1.1 200", 12) != 0) return false;
    if (device->is_polling) {
        device->is_polling = false;
        atomic_fetch_sub(&herd->waiting, 1);
        if (!strstr(body, "\"nid\"")) return send_poll(herd, device);
        if (!device->is_told) {
            device->is_told = true;
            double time = now();
            if (atomic_load(&herd->told) == 0) atomic_store(&herd->first, time);
            atomic_store(&herd->last, time);
            atomic_fetch_add(&herd->told, 1);
        }
        return herd->fetch_target ? send_fetch(herd, device) : send_poll(herd, device);
    }
    const char *token = strstr(body, "\"syncToken\":\"");
    if (!token) return false;
    token += strlen("\"syncToken\":\"");
    size_t length = strcspn(token, "\"");
    if (length >= sizeof device->token) return false;
    memcpy(device->token, token, length);
    device->token[length] = 0;
    return strstr(body, "\"moreComing\":true") ? send_fetch(herd, device) : send_poll(herd, device);
}

static bool receive(struct herd *herd, struct device *device) {
    if (device->room - device->filled < 1024) {
        size_t room = device->room ? device->room * 2 : 2048;
        char *larger = realloc(device->answer, room);
        if (!larger) return false;
        device->answer = larger;
        device->room = room;
    }
    ssize_t count = recv(device->socket, device->answer + device->filled, device->room - device->filled - 1, 0);
    if (count < 0 && errno == EAGAIN) return true;
    if (count <= 0) return false;
    device->filled += (size_t)count;
    device->answer[device->filled] = 0;
    char *body = strstr(device->answer, "\r\n\r\n");
    if (!body) return true;
    body += 4;
    char *length = strcasestr(device->answer, "content-length:");
    if (!length || length > body) return false;
    size_t whole = (size_t)(body - device->answer) + strtoul(length + 15, NULL, 10);
    if (device->filled < whole) return true;
    device->filled = 0;
    return take(herd, device, body);
}

static void *run(void *context) {
    struct herd *herd = context;
    struct epoll_event events[256];
    while (!atomic_load(&herd->is_stopped)) {
        int count = epoll_wait(herd->epoll, events, 256, 100);
        int generation = atomic_load(&herd->generation);
        if (generation != herd->seen_generation) {
            for (int i = 0; i < herd->count; i++) herd->devices[i].is_told = false;
            herd->seen_generation = generation;
            atomic_store(&herd->told, 0);
        }
        for (int i = 0; i < count; i++) {
            struct device *device = events[i].data.ptr;
            if (receive(herd, device)) continue;
            if (device->is_polling) atomic_fetch_sub(&herd->waiting, 1);
            device->is_polling = false;
            atomic_fetch_add(&herd->failures, 1);
            epoll_ctl(herd->epoll, EPOLL_CTL_DEL, device->socket, NULL);
        }
    }
    return NULL;
}

static int connect_to(int port) {
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int on = 1;
    if (descriptor < 0 || connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        if (descriptor >= 0) close(descriptor);
        return -1;
    }
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return descriptor;
}

herd *herd_start(int port, int count, const char *const *poll_targets, const char *fetch_target, const char *zone) {
    struct herd *herd = calloc(1, sizeof *herd);
    if (!herd) return NULL;
    herd->port = port;
    herd->epoll = epoll_create1(EPOLL_CLOEXEC);
    herd->devices = calloc((size_t)count, sizeof *herd->devices);
    herd->fetch_target = fetch_target ? strdup(fetch_target) : NULL;
    herd->zone = zone ? strdup(zone) : NULL;
    bool is_good = herd->devices != NULL;
    for (int i = 0; is_good && i < count; i++) {
        struct device *device = &herd->devices[i];
        device->socket = connect_to(port);
        is_good = device->socket >= 0
            && asprintf(
                   &device->poll_request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", poll_targets[i], port) > 0;
        if (device->socket >= 0) herd->count = i + 1;
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = device};
        is_good = is_good && epoll_ctl(herd->epoll, EPOLL_CTL_ADD, device->socket, &event) == 0
            && (fetch_target ? send_fetch(herd, device) : send_poll(herd, device));
    }
    if (!is_good || pthread_create(&herd->thread, NULL, run, herd) != 0) {
        atomic_store(&herd->is_stopped, 1);
        herd_stop(herd);
        return NULL;
    }
    return herd;
}

int herd_waiting(const herd *herd) { return atomic_load(&herd->waiting); }
int herd_failures(const herd *herd) { return atomic_load(&herd->failures); }

void herd_reset(herd *herd) {
    atomic_fetch_add(&herd->generation, 1);
    // The thread takes notice within a tenth of a second.
    usleep(150000);
}

int herd_told(const herd *herd, double *first, double *last) {
    *first = atomic_load(&herd->first);
    *last = atomic_load(&herd->last);
    return atomic_load(&herd->told);
}

void herd_stop(herd *herd) {
    if (!herd) return;
    if (!atomic_exchange(&herd->is_stopped, 1)) pthread_join(herd->thread, NULL);
    for (int i = 0; i < herd->count; i++) {
        close(herd->devices[i].socket);
        free(herd->devices[i].poll_request);
        free(herd->devices[i].answer);
    }
    close(herd->epoll);
    free(herd->devices);
    free(herd->fetch_target);
    free(herd->zone);
    free(herd);
}
