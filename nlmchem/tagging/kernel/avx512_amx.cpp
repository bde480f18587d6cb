// x86 with AVX-512 and AMX (Advanced Matrix Extensions): the lanes of AVX-512, and products by tiles. A tile is 16 rows
// of 64 bytes; one instruction (tdpbssd) multiplies 16 rows of activations with 16 outputs, 64 inputs deep. Panels of
// weights have the order of its second factor.
#include "kernel.h"

#ifdef NLMCHEM_AMX
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("amx-tile,amx-int8,avx512f,avx512bw,avx512vl,avx512vnni,avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("amx-tile,amx-int8,avx512f,avx512bw,avx512vl,avx512vnni,avx2,fma")
#endif

namespace nlmchem {
namespace {
namespace avx512_amx {

constexpr int TILE = 32, PANELS = 2; // two tiles of rows times two panels: four tiles of sums
constexpr int64_t GROUP = 4;

using Value = int8_t;
using Room = int8_t;

#include "avx512_lanes.inc"

inline void store_values(Value *to, I i) {
    _mm_storeu_si128(reinterpret_cast<__m128i *>(to), _mm512_cvtepi32_epi8(i.v));
}

// How many inputs a tile has. Numbers of inputs are multiples of 16.
inline int64_t depth_of(int64_t inputs) { return inputs % 64 ? 16 : 64; }

// The shapes of the tiles: 0 to 3 sums, 4 and 5 activations, 6 and 7 weights.
struct Setup {
    explicit Setup(int64_t inputs) {
        struct alignas(64) { uint8_t palette, first, reserved[14]; uint16_t bytes[16]; uint8_t rows[16]; } shapes = {};
        const int64_t depth = depth_of(inputs);
        shapes.palette = 1;
        for (int tile = 0; tile < 8; tile++) {
            shapes.bytes[tile] = uint16_t(tile == 4 || tile == 5 ? depth : 64);
            shapes.rows[tile] = uint8_t(tile >= 6 ? depth / GROUP : 16);
        }
        _tile_loadconfig(&shapes);
    }
    ~Setup() { _tile_release(); }
};

struct Panel { const int8_t *weights; int panels; };
inline Panel open(const int8_t *packed, int64_t, int panels, Room *) { return {packed, panels}; }

// Rows of a tile that do not exist are read, as far as a block of values goes, and their sums are not used.
inline void products(const Value *values, int64_t stride, int rows, Panel panel, int64_t inputs, int32_t *sums) {
    const int8_t *first = panel.weights, *second = panel.weights + (panel.panels - 1) * LANES * inputs;
    const Value *upper = values, *lower = values + (rows > 16 ? 16 : 0) * stride;
    const int64_t depth = depth_of(inputs);
    asm volatile("" ::: "memory"); // compilers do not know what tiles read
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int64_t at = 0; at < inputs; at += depth) {
        _tile_loadd(6, first + at * LANES, 64);
        _tile_loadd(4, upper + at, stride);
        _tile_dpbssd(0, 4, 6);
        _tile_loadd(7, second + at * LANES, 64);
        _tile_dpbssd(1, 4, 7);
        _tile_loadd(5, lower + at, stride);
        _tile_dpbssd(2, 5, 6);
        _tile_dpbssd(3, 5, 7);
    }
    _tile_stored(0, sums, 64);
    _tile_stored(1, sums + TILE * LANES, 64);
    _tile_stored(2, sums + 16 * LANES, 64);
    _tile_stored(3, sums + (TILE + 16) * LANES, 64);
}

#include "arithmetic.inc"

} // namespace avx512_amx
} // namespace

const Path avx512_amx_path = {"avx512-amx", avx512_amx::GROUP, avx512_amx::linear, avx512_amx::embed,
                              avx512_amx::encode};

} // namespace nlmchem

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
