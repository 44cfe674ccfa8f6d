// OpenSSL 3, whose functions forward.c loads when they are called; and its macros with casts and variadic calls, which
// Swift cannot import by itself.
#pragma once
#if __has_include(<openssl/ssl.h>)
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

// A key pair of a kind, of a curve where the kind has several; nil if this libcrypto does not know it. The call for
// both at once, EVP_PKEY_Q_keygen, is variadic, and forward.c cannot hand such calls on.
static inline EVP_PKEY *tandem_ssl_make(const char *kind, const char *curve) {
    EVP_PKEY *made = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, kind, NULL);
    if (context && EVP_PKEY_keygen_init(context) == 1
        && (!curve || EVP_PKEY_CTX_set_group_name(context, curve) == 1)
        && EVP_PKEY_generate(context, &made) != 1) made = NULL;
    EVP_PKEY_CTX_free(context);
    return made;
}

static inline EVP_PKEY *tandem_ssl_make_ed25519(void) { return tandem_ssl_make("ED25519", NULL); }

static inline EVP_PKEY *tandem_ssl_make_p256(void) { return tandem_ssl_make("EC", "P-256"); }

// TLS 1.3 and nothing older, with what Protocol/8-Security.md names; 1 if well.
static inline int tandem_ssl_configure(SSL_CTX *context) {
    if (SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) != 1) return 0;
    if (SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) != 1) return 0;
    if (SSL_CTX_set1_groups_list(context, "X25519:P-256") != 1) return 0;
    if (SSL_CTX_set1_sigalgs_list(context, "ed25519:ECDSA+SHA256") != 1) return 0;
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    // A device shows one small certificate; the library would take 100 KiB of them.
    SSL_CTX_set_max_cert_list(context, 8192);
    // Buffers of an idle connection are given back; a piece may be taken in part.
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE
        | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    return 1;
}

// Macros around the error queue and memory BIOs.
static inline int tandem_ssl_reason(unsigned long code) { return ERR_GET_REASON(code); }
static inline int tandem_ssl_library(unsigned long code) { return ERR_GET_LIB(code); }
static inline long tandem_ssl_memory(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }
static inline void tandem_ssl_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }
static inline void tandem_ssl_retry_read(BIO *bio) { BIO_set_retry_read(bio); }
#endif
