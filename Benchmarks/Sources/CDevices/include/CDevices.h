#pragma once

// Many devices on one thread, as cheap as they can be: they share the machine with the server that they load. And the least
// that a server with long polls can be, for comparison.

// Devices that poll for pushes and, if they are to, fetch what changed when one comes.
typedef struct herd herd;

// Connects `count` devices to a port of this machine. Device i polls at `poll_targets[i]`, a request target. With
// `fetch_target`, each push makes it post a request for the changes of `zone` there. NULL when it cannot connect.
herd *herd_start(int port, int count, const char *const *poll_targets, const char *fetch_target, const char *zone);
// How many wait for a push at the moment.
int herd_waiting(const herd *herd);
// How many answers were none that a device can use.
int herd_failures(const herd *herd);
// Forgets what was told before.
void herd_reset(herd *herd);
// How many devices a push has reached since; seconds of CLOCK_MONOTONIC of the first and the last one.
int herd_told(const herd *herd, double *first, double *last);
void herd_stop(herd *herd);

// Answers `GET /wait…` when somebody sends `/tell`, which answers all that wait; nothing else, on one thread.
typedef struct bare_server bare_server;

bare_server *bare_server_start(void);
int bare_server_port(const bare_server *server);
void bare_server_stop(bare_server *server);
