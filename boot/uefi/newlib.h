/*
 * How newlib is built for the image: the file that its configure would have written. scripts/newlib puts it among
 * newlib's headers, which both newlib's own sources and the image include.
 */
#ifndef __NEWLIB_H__
#define __NEWLIB_H__ 1

#define _NEWLIB_VERSION "3.3.0"
#define __NEWLIB__ 3
#define __NEWLIB_MINOR__ 3
#define __NEWLIB_PATCHLEVEL__ 0

/* printf and strtod know %zu, %hhd and the like, and long long. */
#define _WANT_IO_C99_FORMATS 1
#define _WANT_IO_LONG_LONG 1
#define _HAVE_LONG_DOUBLE 1

/* newlib's defaults: memory that could not be had is noticed; one byte a character; buffers of files. */
#define _REENT_CHECK_VERIFY 1
#define _MB_LEN_MAX 1
#define _ATEXIT_DYNAMIC_ALLOC 1
#define _FVWRITE_IN_STREAMIO 1
#define _FSEEK_OPTIMIZATION 1
#define _UNBUF_STREAM_OPT 1

/* What the compiler and linker can do. */
#define HAVE_INITFINI_ARRAY 1
#define _HAVE_CC_INHIBIT_LOOP_TO_LIBCALL 1

#endif
