// x86 with AVX-512 and VNNI: 16 lanes are one register. Activations are stored with 128 added, because one factor of
// the instruction (vpdpbusd) has no sign; what that adds to a sum, 128 times the sum of the weights, is subtracted.
#include "kernel.h"

#if defined(__x86_64__) || defined(NLMCHEM_SIMDE)
#ifdef NLMCHEM_SIMDE // a header with these instructions in portable C, for tests on other processors
#include NLMCHEM_SIMDE
#else
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni,avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512vnni,avx2,fma")
#endif
#endif

namespace nlmchem {
namespace {
namespace avx512 {

constexpr int TILE = 12, PANELS = 1;
constexpr int64_t GROUP = 4;

using Value = uint8_t;
using Room = int8_t;

#include "avx512_lanes.inc"

struct Setup { explicit Setup(int64_t) {} };
struct Panel { const int8_t *weights; __m512i added; };

inline void store_values(Value *to, I i) {
    _mm_storeu_si128(reinterpret_cast<__m128i *>(to),
                     _mm512_cvtepi32_epi8(_mm512_add_epi32(i.v, _mm512_set1_epi32(128))));
}

inline Panel open(const int8_t *packed, int64_t inputs, int, Room *) {
    __m512i total = _mm512_setzero_si512();
    for (int64_t at = 0; at < inputs; at += GROUP)
        total = _mm512_dpbusd_epi32(total, _mm512_set1_epi8(1), _mm512_loadu_si512(packed + at * LANES));
    return {packed, _mm512_slli_epi32(total, 7)};
}

// Rows of a tile that do not exist repeat the last row, so that the loops have fixed lengths.
inline void products(const Value *values, int64_t stride, int rows, Panel panel, int64_t inputs, int32_t *sums) {
    __m512i totals[TILE];
    const Value *from[TILE];
#pragma GCC unroll 12
    for (int row = 0; row < TILE; row++) {
        totals[row] = _mm512_setzero_si512();
        from[row] = values + (row < rows ? row : rows - 1) * stride;
    }
    for (int64_t at = 0; at < inputs; at += GROUP) {
        const __m512i weights = _mm512_loadu_si512(panel.weights + at * LANES);
#pragma GCC unroll 12
        for (int row = 0; row < TILE; row++)
            totals[row] = _mm512_dpbusd_epi32(totals[row], broadcast(from[row] + at), weights);
    }
#pragma GCC unroll 12
    for (int row = 0; row < TILE; row++)
        _mm512_storeu_si512(sums + row * LANES, _mm512_sub_epi32(totals[row], panel.added));
}

#include "arithmetic.inc"

} // namespace avx512
} // namespace

const Path avx512_path = {"avx512-vnni", avx512::GROUP, avx512::linear, avx512::embed, avx512::encode};

} // namespace nlmchem

#ifndef NLMCHEM_SIMDE
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
#endif
