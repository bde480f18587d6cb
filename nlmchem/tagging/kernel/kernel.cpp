// The functions that Python calls (kernel.py), and the paths that this processor can run. Callers check all bounds.
#include "kernel.h"

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

#ifdef NLMCHEM_AMX
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace nlmchem {

#ifdef NLMCHEM_AMX
// Whether the processor has AMX for int8, and the system lets this process use it. Linux gives the 8 kB of registers
// only to processes that ask (Documentation/arch/x86/xstate.rst); their threads and forks have them too.
bool has_tiles() {
    constexpr unsigned TILES = 1u << 24, INTEGERS = 1u << 25;
    constexpr long REQUEST = 0x1023, TILE_DATA = 18;
    unsigned a, b, c, d = 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d & TILES) || !(d & INTEGERS)) return false;
    return syscall(SYS_arch_prctl, REQUEST, TILE_DATA) == 0;
}
#endif

#if defined(__aarch64__)
static bool has_neon_products() {
#if defined(__linux__)
    return getauxval(AT_HWCAP) >> 20 & 1; // HWCAP_ASIMDDP
#else
    return true;
#endif
}
#endif

static const Path *const *paths() {
    static const Path *found[5] = {};
    if (!found[0]) {
        const Path *usable[5] = {};
        int number = 0;
#if defined(__x86_64__)
        __builtin_cpu_init();
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni")) {
#ifdef NLMCHEM_AMX
            if (has_tiles()) usable[number++] = &avx512_amx_path;
#endif
            usable[number++] = &avx512_path;
        }
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) usable[number++] = &avx2_path;
#endif
#if defined(__aarch64__)
        if (has_neon_products()) usable[number++] = &neon_path;
#endif
        usable[number++] = &portable_path;
        for (int at = 4; at >= 0; at--) found[at] = usable[at];
    }
    return found;
}

} // namespace nlmchem

using namespace nlmchem;

#define EXPORTED extern "C" __attribute__((visibility("default")))

// The name of path number `path`, the fastest first; null behind the last one.
EXPORTED const char *nlmchem_path(int64_t path) { return paths()[path] ? paths()[path]->name : nullptr; }

EXPORTED int64_t nlmchem_group(int64_t path) { return paths()[path]->group; }

// These return 0 if there is not enough memory, else 1.
EXPORTED int64_t nlmchem_linear(int64_t path, const Weights *weights, const float *values, int64_t rows, float *out) {
    return paths()[path]->linear(*weights, values, rows, out);
}

EXPORTED int64_t nlmchem_embed(int64_t path, const Shape *shape, const Tables *tables, const int32_t *ids,
                               int64_t rows, float *states) {
    return paths()[path]->embed(*shape, *tables, ids, rows, states);
}

EXPORTED int64_t nlmchem_encode(int64_t path, const Shape *shape, const Layer *layers, int64_t number,
                                const int64_t *lengths, int64_t windows, float *states) {
    return paths()[path]->encode(*shape, layers, number, lengths, windows, states);
}
