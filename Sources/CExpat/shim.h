// Expat, the reader of XML; nothing of it needs a wrapper.
#pragma once
#include <expat.h>
