/*
 * banned.h - make the use of unsafe functions of libc a build error. Included before every source
 * file.
 *
 * Each banned function has a replacement that is safer or easier to test: str.h and buf.h for
 * strings, mem.h for memory, clock.h for time, proc.h for processes, the timers of loop.h for
 * waiting. This file includes the system headers first, because its macros would change the
 * declarations in them.
 *
 * A file that implements a replacement first undefines (#undef) the macros that it needs.
 */
#ifndef BASE_BANNED_H
#define BASE_BANNED_H

#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h> /* has inline functions that call malloc */
#endif

#undef strcpy
#undef strcat
#undef strncpy
#undef strncat
#undef strtok
#undef sprintf
#undef vsprintf
#undef alloca

#define strcpy(...) banned_strcpy_use_str_or_buf(__VA_ARGS__)
#define strcat(...) banned_strcat_use_buf(__VA_ARGS__)
#define strncpy(...) banned_strncpy_use_str_or_buf(__VA_ARGS__)
#define strncat(...) banned_strncat_use_buf(__VA_ARGS__)
#define strtok(...) banned_strtok_use_str_cut(__VA_ARGS__)
#define strdup(...) banned_strdup_use_arena(__VA_ARGS__)
#define sprintf(...) banned_sprintf_use_snprintf(__VA_ARGS__)
#define vsprintf(...) banned_vsprintf_use_vsnprintf(__VA_ARGS__)
#define atoi(...) banned_atoi_use_str_int(__VA_ARGS__)
#define atol(...) banned_atol_use_str_int(__VA_ARGS__)
#define atof(...) banned_atof_use_json_number(__VA_ARGS__)
#define gmtime(...) banned_gmtime_use_clock(__VA_ARGS__)
#define localtime(...) banned_localtime_use_clock(__VA_ARGS__)
#define ctime(...) banned_ctime_use_clock(__VA_ARGS__)
#define asctime(...) banned_asctime_use_clock(__VA_ARGS__)
#define system(...) banned_system_use_proc(__VA_ARGS__)
#define popen(...) banned_popen_use_proc(__VA_ARGS__)
#define alloca(...) banned_alloca_use_arena(__VA_ARGS__)
#define sleep(...) banned_sleep_use_a_timer(__VA_ARGS__)
#define usleep(...) banned_usleep_use_a_timer(__VA_ARGS__)
#define rand(...) banned_rand_use_id(__VA_ARGS__)
#define random(...) banned_random_use_id(__VA_ARGS__)

#define malloc(...) banned_malloc_use_mem_or_arena(__VA_ARGS__)
#define calloc(...) banned_calloc_use_mem_or_arena(__VA_ARGS__)
#define realloc(...) banned_realloc_use_mem_or_arena(__VA_ARGS__)
#define free(...) banned_free_use_mem_free(__VA_ARGS__)

#define fork(...) banned_fork_use_proc(__VA_ARGS__)
#define vfork(...) banned_vfork_use_proc(__VA_ARGS__)

#endif
