// The functions of OpenSSL that this package calls, each of which loads its library at its first call.
//
// A command that needs no encryption, as most do, then pays nothing for OpenSSL: linked the usual way, the loader
// works two million times as long for libssl and libcrypto as for a call here, before the program begins. The names
// are OpenSSL's, so that callers read like its manual, and the compiler checks each line against its headers.
//
// Where the archives of OpenSSL are linked into the program, this file is left out (Tools/package).
#if __has_include(<openssl/ssl.h>)
#include "COpenSSL.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

// EX_UNAVAILABLE of sysexits.h: the loader of a program ends it as well where a library is missing.
#define UNAVAILABLE 69

typedef struct {
    const char *file;
    void *handle;
    pthread_once_t once;
} Library;

static Library CRYPTO = {"libcrypto.so.3", NULL, PTHREAD_ONCE_INIT};
static Library SSL_ = {"libssl.so.3", NULL, PTHREAD_ONCE_INIT};

static void fail(void) {
    const char *reason = dlerror();
    dprintf(STDERR_FILENO, "error: encryption needs OpenSSL 3, which cannot be loaded here: %s\n"
        "  install it (on Debian: apt-get install libssl3), then try again\n", reason ? reason : "");
    _exit(UNAVAILABLE);
}

static void open_library(Library *library) {
    // Kept to itself: an app that embeds the engine may use another OpenSSL.
    library->handle = dlopen(library->file, RTLD_LAZY | RTLD_LOCAL);
    if (!library->handle) fail();
}
static void open_crypto(void) { open_library(&CRYPTO); }
static void open_ssl(void) { open_library(&SSL_); }

static void *find(Library *library, const char *name) {
    pthread_once(&library->once, library == &CRYPTO ? open_crypto : open_ssl);
    void *found = dlsym(library->handle, name);
    if (!found) fail();
    return found;
}

// Defines `name`, which looks the function of that name up once and calls it. Hidden: the library's own calls are
// not to come here.
#define FORWARD(library, result, name, parameters, arguments) \
    __attribute__((visibility("hidden"))) result name parameters { \
        static __typeof__(&name) found; \
        __typeof__(&name) call = __atomic_load_n(&found, __ATOMIC_RELAXED); \
        if (!call) { \
            call = (__typeof__(&name))find(&library, #name); \
            __atomic_store_n(&found, call, __ATOMIC_RELAXED); \
        } \
        return call arguments; \
    }

// libcrypto.
FORWARD(CRYPTO, int, ASN1_INTEGER_set_int64, (ASN1_INTEGER *a, int64_t b), (a, b))
FORWARD(CRYPTO, int, ASN1_TIME_set_string, (ASN1_TIME *a, const char *b), (a, b))
FORWARD(CRYPTO, void, BIO_clear_flags, (BIO *a, int b), (a, b))
FORWARD(CRYPTO, long, BIO_ctrl, (BIO *a, int b, long c, void *d), (a, b, c, d))
FORWARD(CRYPTO, int, BIO_free, (BIO *a), (a))
FORWARD(CRYPTO, void *, BIO_get_data, (BIO *a), (a))
FORWARD(CRYPTO, int, BIO_get_new_index, (void), ())
FORWARD(CRYPTO, BIO_METHOD *, BIO_meth_new, (int a, const char *b), (a, b))
FORWARD(CRYPTO, int, BIO_meth_set_ctrl, (BIO_METHOD *a, long (*b)(BIO *, int, long, void *)), (a, b))
FORWARD(CRYPTO, int, BIO_meth_set_read, (BIO_METHOD *a, int (*b)(BIO *, char *, int)), (a, b))
FORWARD(CRYPTO, int, BIO_meth_set_write, (BIO_METHOD *a, int (*b)(BIO *, const char *, int)), (a, b))
FORWARD(CRYPTO, BIO *, BIO_new, (const BIO_METHOD *a), (a))
FORWARD(CRYPTO, const BIO_METHOD *, BIO_s_mem, (void), ())
FORWARD(CRYPTO, void, BIO_set_data, (BIO *a, void *b), (a, b))
FORWARD(CRYPTO, void, BIO_set_flags, (BIO *a, int b), (a, b))
FORWARD(CRYPTO, void, BIO_set_init, (BIO *a, int b), (a, b))
FORWARD(CRYPTO, int, BIO_write, (BIO *a, const void *b, int c), (a, b, c))
FORWARD(CRYPTO, void, CRYPTO_free, (void *a, const char *b, int c), (a, b, c))
FORWARD(CRYPTO, void, ERR_clear_error, (void), ())
FORWARD(CRYPTO, unsigned long, ERR_get_error, (void), ())
FORWARD(CRYPTO, unsigned long, ERR_peek_error, (void), ())
FORWARD(CRYPTO, const char *, ERR_reason_error_string, (unsigned long a), (a))
FORWARD(CRYPTO, int, EVP_CIPHER_CTX_ctrl, (EVP_CIPHER_CTX *a, int b, int c, void *d), (a, b, c, d))
FORWARD(CRYPTO, void, EVP_CIPHER_CTX_free, (EVP_CIPHER_CTX *a), (a))
FORWARD(CRYPTO, EVP_CIPHER_CTX *, EVP_CIPHER_CTX_new, (void), ())
FORWARD(CRYPTO, EVP_CIPHER *, EVP_CIPHER_fetch, (OSSL_LIB_CTX *a, const char *b, const char *c), (a, b, c))
FORWARD(CRYPTO, void, EVP_CIPHER_free, (EVP_CIPHER *a), (a))
FORWARD(CRYPTO, int, EVP_DecryptInit_ex2,
    (EVP_CIPHER_CTX *a, const EVP_CIPHER *b, const unsigned char *c, const unsigned char *d, const OSSL_PARAM *e),
    (a, b, c, d, e))
FORWARD(CRYPTO, int, EVP_DecryptUpdate,
    (EVP_CIPHER_CTX *a, unsigned char *b, int *c, const unsigned char *d, int e),
    (a, b, c, d, e))
FORWARD(CRYPTO, int, EVP_DecodeBlock, (unsigned char *a, const unsigned char *b, int c), (a, b, c))
FORWARD(CRYPTO, int, EVP_Digest,
    (const void *a, size_t b, unsigned char *c, unsigned int *d, const EVP_MD *e, ENGINE *f),
    (a, b, c, d, e, f))
FORWARD(CRYPTO, int, EVP_DigestSign,
    (EVP_MD_CTX *a, unsigned char *b, size_t *c, const unsigned char *d, size_t e),
    (a, b, c, d, e))
FORWARD(CRYPTO, int, EVP_DigestSignInit,
    (EVP_MD_CTX *a, EVP_PKEY_CTX **b, const EVP_MD *c, ENGINE *d, EVP_PKEY *e),
    (a, b, c, d, e))
FORWARD(CRYPTO, int, EVP_DigestVerify,
    (EVP_MD_CTX *a, const unsigned char *b, size_t c, const unsigned char *d, size_t e),
    (a, b, c, d, e))
FORWARD(CRYPTO, int, EVP_DigestVerifyInit,
    (EVP_MD_CTX *a, EVP_PKEY_CTX **b, const EVP_MD *c, ENGINE *d, EVP_PKEY *e),
    (a, b, c, d, e))
FORWARD(CRYPTO, int, EVP_EncryptFinal_ex, (EVP_CIPHER_CTX *a, unsigned char *b, int *c), (a, b, c))
FORWARD(CRYPTO, int, EVP_EncryptInit_ex2,
    (EVP_CIPHER_CTX *a, const EVP_CIPHER *b, const unsigned char *c, const unsigned char *d, const OSSL_PARAM *e),
    (a, b, c, d, e))
FORWARD(CRYPTO, int, EVP_EncryptUpdate,
    (EVP_CIPHER_CTX *a, unsigned char *b, int *c, const unsigned char *d, int e),
    (a, b, c, d, e))
FORWARD(CRYPTO, void, EVP_MD_CTX_free, (EVP_MD_CTX *a), (a))
FORWARD(CRYPTO, EVP_MD_CTX *, EVP_MD_CTX_new, (void), ())
FORWARD(CRYPTO, int, EVP_PKEY_CTX_add1_hkdf_info, (EVP_PKEY_CTX *a, const unsigned char *b, int c), (a, b, c))
FORWARD(CRYPTO, void, EVP_PKEY_CTX_free, (EVP_PKEY_CTX *a), (a))
FORWARD(CRYPTO, EVP_PKEY_CTX *, EVP_PKEY_CTX_new, (EVP_PKEY *a, ENGINE *b), (a, b))
FORWARD(CRYPTO, EVP_PKEY_CTX *, EVP_PKEY_CTX_new_from_name, (OSSL_LIB_CTX *a, const char *b, const char *c), (a, b, c))
FORWARD(CRYPTO, EVP_PKEY_CTX *, EVP_PKEY_CTX_new_id, (int a, ENGINE *b), (a, b))
FORWARD(CRYPTO, int, EVP_PKEY_CTX_set1_hkdf_key, (EVP_PKEY_CTX *a, const unsigned char *b, int c), (a, b, c))
FORWARD(CRYPTO, int, EVP_PKEY_CTX_set1_hkdf_salt, (EVP_PKEY_CTX *a, const unsigned char *b, int c), (a, b, c))
FORWARD(CRYPTO, int, EVP_PKEY_CTX_set_group_name, (EVP_PKEY_CTX *a, const char *b), (a, b))
FORWARD(CRYPTO, int, EVP_PKEY_CTX_set_hkdf_md, (EVP_PKEY_CTX *a, const EVP_MD *b), (a, b))
FORWARD(CRYPTO, int, EVP_PKEY_derive, (EVP_PKEY_CTX *a, unsigned char *b, size_t *c), (a, b, c))
FORWARD(CRYPTO, int, EVP_PKEY_derive_init, (EVP_PKEY_CTX *a), (a))
FORWARD(CRYPTO, int, EVP_PKEY_derive_set_peer, (EVP_PKEY_CTX *a, EVP_PKEY *b), (a, b))
FORWARD(CRYPTO, void, EVP_PKEY_free, (EVP_PKEY *a), (a))
FORWARD(CRYPTO, int, EVP_PKEY_generate, (EVP_PKEY_CTX *a, EVP_PKEY **b), (a, b))
FORWARD(CRYPTO, int, EVP_PKEY_get_base_id, (const EVP_PKEY *a), (a))
FORWARD(CRYPTO, int, EVP_PKEY_get_bits, (const EVP_PKEY *a), (a))
FORWARD(CRYPTO, int, EVP_PKEY_get_group_name, (const EVP_PKEY *a, char *b, size_t c, size_t *d), (a, b, c, d))
FORWARD(CRYPTO, int, EVP_PKEY_get_raw_public_key, (const EVP_PKEY *a, unsigned char *b, size_t *c), (a, b, c))
FORWARD(CRYPTO, int, EVP_PKEY_keygen_init, (EVP_PKEY_CTX *a), (a))
FORWARD(CRYPTO, EVP_PKEY *, EVP_PKEY_new_raw_private_key,
    (int a, ENGINE *b, const unsigned char *c, size_t d),
    (a, b, c, d))
FORWARD(CRYPTO, EVP_PKEY *, EVP_PKEY_new_raw_public_key,
    (int a, ENGINE *b, const unsigned char *c, size_t d),
    (a, b, c, d))
FORWARD(CRYPTO, const EVP_MD *, EVP_sha256, (void), ())
FORWARD(CRYPTO, unsigned char *, HMAC,
    (const EVP_MD *a, const void *b, int c, const unsigned char *d, size_t e, unsigned char *f, unsigned int *g),
    (a, b, c, d, e, f, g))
FORWARD(CRYPTO, void, OPENSSL_cleanse, (void *a, size_t b), (a, b))
FORWARD(CRYPTO, EVP_PKEY *, PEM_read_bio_PrivateKey,
    (BIO *a, EVP_PKEY **b, pem_password_cb *c, void *d),
    (a, b, c, d))
FORWARD(CRYPTO, X509 *, PEM_read_bio_X509, (BIO *a, X509 **b, pem_password_cb *c, void *d), (a, b, c, d))
FORWARD(CRYPTO, int, PEM_write_bio_PrivateKey,
    (BIO *a, const EVP_PKEY *b, const EVP_CIPHER *c, const unsigned char *d, int e, pem_password_cb *f, void *g),
    (a, b, c, d, e, f, g))
FORWARD(CRYPTO, int, PEM_write_bio_X509, (BIO *a, const X509 *b), (a, b))
FORWARD(CRYPTO, int, RAND_priv_bytes, (unsigned char *a, int b), (a, b))
FORWARD(CRYPTO, int, X509_NAME_add_entry_by_txt,
    (X509_NAME *a, const char *b, int c, const unsigned char *d, int e, int f, int g),
    (a, b, c, d, e, f, g))
FORWARD(CRYPTO, X509 *, X509_STORE_CTX_get0_cert, (const X509_STORE_CTX *a), (a))
FORWARD(CRYPTO, void *, X509_STORE_CTX_get_ex_data, (const X509_STORE_CTX *a, int b), (a, b))
FORWARD(CRYPTO, void, X509_STORE_CTX_set_error, (X509_STORE_CTX *a, int b), (a, b))
FORWARD(CRYPTO, int, X509_check_private_key, (const X509 *a, const EVP_PKEY *b), (a, b))
FORWARD(CRYPTO, void, X509_free, (X509 *a), (a))
FORWARD(CRYPTO, X509_PUBKEY *, X509_get_X509_PUBKEY, (const X509 *a), (a))
FORWARD(CRYPTO, ASN1_INTEGER *, X509_get_serialNumber, (X509 *a), (a))
FORWARD(CRYPTO, X509_NAME *, X509_get_subject_name, (const X509 *a), (a))
FORWARD(CRYPTO, ASN1_TIME *, X509_getm_notAfter, (const X509 *a), (a))
FORWARD(CRYPTO, ASN1_TIME *, X509_getm_notBefore, (const X509 *a), (a))
FORWARD(CRYPTO, X509 *, X509_new, (void), ())
FORWARD(CRYPTO, int, X509_set_issuer_name, (X509 *a, const X509_NAME *b), (a, b))
FORWARD(CRYPTO, int, X509_set_pubkey, (X509 *a, EVP_PKEY *b), (a, b))
FORWARD(CRYPTO, int, X509_set_version, (X509 *a, long b), (a, b))
FORWARD(CRYPTO, int, X509_sign, (X509 *a, EVP_PKEY *b, const EVP_MD *c), (a, b, c))
FORWARD(CRYPTO, EVP_PKEY *, d2i_PUBKEY, (EVP_PKEY **a, const unsigned char **b, long c), (a, b, c))
FORWARD(CRYPTO, int, i2d_X509_PUBKEY, (const X509_PUBKEY *a, unsigned char **b), (a, b))

// libssl.
FORWARD(SSL_, long, SSL_CTX_ctrl, (SSL_CTX *a, int b, long c, void *d), (a, b, c, d))
FORWARD(SSL_, void, SSL_CTX_free, (SSL_CTX *a), (a))
FORWARD(SSL_, SSL_CTX *, SSL_CTX_new, (const SSL_METHOD *a), (a))
FORWARD(SSL_, int, SSL_CTX_set_alpn_protos, (SSL_CTX *a, const unsigned char *b, unsigned int c), (a, b, c))
FORWARD(SSL_, void, SSL_CTX_set_alpn_select_cb, (SSL_CTX *a, SSL_CTX_alpn_select_cb_func b, void *c), (a, b, c))
FORWARD(SSL_, void, SSL_CTX_set_cert_verify_callback,
    (SSL_CTX *a, int (*b)(X509_STORE_CTX *, void *), void *c),
    (a, b, c))
FORWARD(SSL_, void, SSL_CTX_set_client_hello_cb, (SSL_CTX *a, SSL_client_hello_cb_fn b, void *c), (a, b, c))
FORWARD(SSL_, int, SSL_CTX_set_num_tickets, (SSL_CTX *a, size_t b), (a, b))
FORWARD(SSL_, void, SSL_CTX_set_verify, (SSL_CTX *a, int b, SSL_verify_cb c), (a, b, c))
FORWARD(SSL_, int, SSL_CTX_use_PrivateKey, (SSL_CTX *a, EVP_PKEY *b), (a, b))
FORWARD(SSL_, int, SSL_CTX_use_certificate, (SSL_CTX *a, X509 *b), (a, b))
FORWARD(SSL_, int, SSL_client_hello_get0_ext,
    (SSL *a, unsigned int b, const unsigned char **c, size_t *d),
    (a, b, c, d))
FORWARD(SSL_, int, SSL_do_handshake, (SSL *a), (a))
FORWARD(SSL_, int, SSL_export_keying_material,
    (SSL *a, unsigned char *b, size_t c, const char *d, size_t e, const unsigned char *f, size_t g, int h),
    (a, b, c, d, e, f, g, h))
FORWARD(SSL_, void, SSL_free, (SSL *a), (a))
FORWARD(SSL_, void, SSL_get0_alpn_selected, (const SSL *a, const unsigned char **b, unsigned int *c), (a, b, c))
FORWARD(SSL_, int, SSL_get_error, (const SSL *a, int b), (a, b))
FORWARD(SSL_, void *, SSL_get_ex_data, (const SSL *a, int b), (a, b))
FORWARD(SSL_, int, SSL_get_ex_data_X509_STORE_CTX_idx, (void), ())
FORWARD(SSL_, SSL *, SSL_new, (SSL_CTX *a), (a))
FORWARD(SSL_, int, SSL_read_ex, (SSL *a, void *b, size_t c, size_t *d), (a, b, c, d))
FORWARD(SSL_, void, SSL_set_accept_state, (SSL *a), (a))
FORWARD(SSL_, void, SSL_set_bio, (SSL *a, BIO *b, BIO *c), (a, b, c))
FORWARD(SSL_, void, SSL_set_connect_state, (SSL *a), (a))
FORWARD(SSL_, int, SSL_set_ex_data, (SSL *a, int b, void *c), (a, b, c))
FORWARD(SSL_, int, SSL_shutdown, (SSL *a), (a))
FORWARD(SSL_, int, SSL_write_ex, (SSL *a, const void *b, size_t c, size_t *d), (a, b, c, d))
FORWARD(SSL_, const SSL_METHOD *, TLS_method, (void), ())
#endif
