#pragma once

// What Cryptography takes from OpenSSL and libsodium. Swift calls these libraries itself.

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <sodium.h>
