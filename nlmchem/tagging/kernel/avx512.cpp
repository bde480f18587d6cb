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

constexpr int TILE = 12;
constexpr int64_t GROUP = 4;

struct F { __m512 v; };
struct I { __m512i v; };
using Value = uint8_t;
using Room = int8_t;
struct Panel { const int8_t *weights; __m512i added; };

inline F load(const float *from) { return {_mm512_loadu_ps(from)}; }
inline void store(float *to, F f) { _mm512_storeu_ps(to, f.v); }
inline F all(float value) { return {_mm512_set1_ps(value)}; }
inline F add(F a, F b) { return {_mm512_add_ps(a.v, b.v)}; }
inline F subtract(F a, F b) { return {_mm512_sub_ps(a.v, b.v)}; }
inline F multiply(F a, F b) { return {_mm512_mul_ps(a.v, b.v)}; }
inline F fma(F a, F b, F c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
inline F larger(F a, F b) { return {_mm512_max_ps(a.v, b.v)}; }
inline F smaller(F a, F b) { return {_mm512_min_ps(a.v, b.v)}; }
inline F magnitude(F f) {
    return {_mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(f.v), _mm512_set1_epi32(0x7fffffff)))};
}
inline __m256 upper(__m512 v) { return _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(v), 1)); }
inline float sum(F f) {
    const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(f.v), upper(f.v));
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}
inline float largest(F f) {
    const __m256 eight = _mm256_max_ps(_mm512_castps512_ps256(f.v), upper(f.v));
    const __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps(two, two, 1)));
}
inline I load(const int32_t *from) { return {_mm512_loadu_si512(from)}; }
inline void store(int32_t *to, I i) { _mm512_storeu_si512(to, i.v); }
inline F floats(I i) { return {_mm512_cvtepi32_ps(i.v)}; }
inline F floats(const int8_t *from) {
    return {_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i *>(from))))};
}
inline I integers(F f) { return {_mm512_cvtps_epi32(f.v)}; }
inline F times_power(F f, I power) {
    return {_mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(f.v), _mm512_slli_epi32(power.v, 23)))};
}
inline void store_words(int16_t *to, I i) {
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(to), _mm512_cvtepi32_epi16(i.v));
}
inline void store_values(Value *to, I i) {
    _mm_storeu_si128(reinterpret_cast<__m128i *>(to),
                     _mm512_cvtepi32_epi8(_mm512_add_epi32(i.v, _mm512_set1_epi32(128))));
}
inline I pairs(I low, I high) {
    return {_mm512_or_si512(_mm512_and_si512(low.v, _mm512_set1_epi32(0xffff)), _mm512_slli_epi32(high.v, 16))};
}
inline __m512i broadcast(const void *from) {
    int32_t four;
    std::memcpy(&four, from, 4);
    return _mm512_set1_epi32(four);
}

inline Panel opened(const int8_t *packed, int64_t inputs, Room *) {
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

inline void word_products(const int16_t *values, int64_t stride, int rows, const int16_t *panel, int64_t pairs,
                          int32_t *sums) {
    __m512i totals[TILE];
    const int16_t *from[TILE];
#pragma GCC unroll 12
    for (int row = 0; row < TILE; row++) {
        totals[row] = _mm512_setzero_si512();
        from[row] = values + (row < rows ? row : rows - 1) * stride;
    }
    for (int64_t at = 0; at < pairs; at++) {
        const __m512i words = _mm512_loadu_si512(panel + at * 2 * LANES);
#pragma GCC unroll 12
        for (int row = 0; row < TILE; row++)
            totals[row] = _mm512_dpwssd_epi32(totals[row], broadcast(from[row] + 2 * at), words);
    }
#pragma GCC unroll 12
    for (int row = 0; row < TILE; row++) _mm512_storeu_si512(sums + row * LANES, totals[row]);
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
