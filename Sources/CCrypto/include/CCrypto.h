#pragma once

// What Cryptography takes from OpenSSL and libsodium. Swift calls these libraries itself.

#include <openssl/evp.h>
#include <sodium.h>
