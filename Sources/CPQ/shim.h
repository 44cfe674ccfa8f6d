// libpq, PostgreSQL's client; nothing of it that is called here is variadic, so nothing needs a wrapper.
#pragma once
#include <libpq-fe.h>
