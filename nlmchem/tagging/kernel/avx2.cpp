// x86 with AVX2 and FMA: 16 lanes are two registers. Weights are widened to 16 bits; pairs of products are added to 32
// bits by one instruction (vpmaddwd), which cannot overflow.
#include "kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif

namespace nlmchem {
namespace {
namespace avx2 {

constexpr int TILE = 6, QUERIES = TILE; // rows of a tile of products, and of one of words
constexpr int PANELS = 1;
constexpr int64_t GROUP = 2;

struct F { __m256 a, b; };
struct I { __m256i a, b; };
using Value = int16_t;
using Room = int16_t;
struct Setup { explicit Setup(int64_t) {} };
struct Panel { const int16_t *weights; };

inline F load(const float *from) { return {_mm256_loadu_ps(from), _mm256_loadu_ps(from + 8)}; }
inline void store(float *to, F f) { _mm256_storeu_ps(to, f.a); _mm256_storeu_ps(to + 8, f.b); }
inline F all(float value) { const __m256 v = _mm256_set1_ps(value); return {v, v}; }
inline F add(F a, F b) { return {_mm256_add_ps(a.a, b.a), _mm256_add_ps(a.b, b.b)}; }
inline F subtract(F a, F b) { return {_mm256_sub_ps(a.a, b.a), _mm256_sub_ps(a.b, b.b)}; }
inline F multiply(F a, F b) { return {_mm256_mul_ps(a.a, b.a), _mm256_mul_ps(a.b, b.b)}; }
inline F fma(F a, F b, F c) { return {_mm256_fmadd_ps(a.a, b.a, c.a), _mm256_fmadd_ps(a.b, b.b, c.b)}; }
inline F larger(F a, F b) { return {_mm256_max_ps(a.a, b.a), _mm256_max_ps(a.b, b.b)}; }
inline F smaller(F a, F b) { return {_mm256_min_ps(a.a, b.a), _mm256_min_ps(a.b, b.b)}; }
inline F magnitude(F f) {
    const __m256 sign = _mm256_set1_ps(-0.0f);
    return {_mm256_andnot_ps(sign, f.a), _mm256_andnot_ps(sign, f.b)};
}
inline float sum(F f) {
    const __m256 eight = _mm256_add_ps(f.a, f.b);
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}
inline float largest(F f) {
    const __m256 eight = _mm256_max_ps(f.a, f.b);
    const __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps(two, two, 1)));
}
inline __m256i words(const void *from) { return _mm256_loadu_si256(static_cast<const __m256i *>(from)); }
inline void put(void *to, __m256i v) { _mm256_storeu_si256(static_cast<__m256i *>(to), v); }
inline I load(const int32_t *from) { return {words(from), words(from + 8)}; }
inline void store(int32_t *to, I i) { put(to, i.a); put(to + 8, i.b); }
inline F floats(I i) { return {_mm256_cvtepi32_ps(i.a), _mm256_cvtepi32_ps(i.b)}; }
inline F floats(const int8_t *from) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i *>(from));
    return floats(I{_mm256_cvtepi8_epi32(bytes), _mm256_cvtepi8_epi32(_mm_srli_si128(bytes, 8))});
}
inline I integers(F f) { return {_mm256_cvtps_epi32(f.a), _mm256_cvtps_epi32(f.b)}; }
inline F times_power(F f, I power) {
    return {_mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(f.a), _mm256_slli_epi32(power.a, 23))),
            _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(f.b), _mm256_slli_epi32(power.b, 23)))};
}
inline void store_words(int16_t *to, I i) {
    put(to, _mm256_permute4x64_epi64(_mm256_packs_epi32(i.a, i.b), 0xd8));
}
inline void store_values(Value *to, I i) { store_words(to, i); }
inline I pairs(I low, I high) {
    return {_mm256_blend_epi16(low.a, _mm256_slli_epi32(high.a, 16), 0xaa),
            _mm256_blend_epi16(low.b, _mm256_slli_epi32(high.b, 16), 0xaa)};
}

inline Panel open(const int8_t *packed, int64_t inputs, int, Room *buffer) {
    for (int64_t at = 0; at < LANES * inputs; at += 16)
        put(buffer + at, _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i *>(packed + at))));
    return {buffer};
}

template <int ROWS>
__attribute__((target("avx2,fma"))) void tile(const int16_t *values, int64_t stride, const int16_t *panel,
                                              int64_t pairs, int32_t *sums) {
    __m256i low[ROWS], high[ROWS];
#pragma GCC unroll 6
    for (int row = 0; row < ROWS; row++) low[row] = high[row] = _mm256_setzero_si256();
    for (int64_t at = 0; at < pairs; at++) {
        const __m256i left = words(panel + at * 2 * LANES), right = words(panel + at * 2 * LANES + LANES);
#pragma GCC unroll 6
        for (int row = 0; row < ROWS; row++) {
            int32_t pair;
            std::memcpy(&pair, values + row * stride + 2 * at, 4);
            const __m256i both = _mm256_set1_epi32(pair);
            low[row] = _mm256_add_epi32(low[row], _mm256_madd_epi16(both, left));
            high[row] = _mm256_add_epi32(high[row], _mm256_madd_epi16(both, right));
        }
    }
#pragma GCC unroll 6
    for (int row = 0; row < ROWS; row++) {
        put(sums + row * LANES, low[row]);
        put(sums + row * LANES + 8, high[row]);
    }
}

void word_products(const int16_t *values, int64_t stride, int rows, const int16_t *panel, int64_t pairs, int32_t *sums) {
    switch (rows) {
    case 1: return tile<1>(values, stride, panel, pairs, sums);
    case 2: return tile<2>(values, stride, panel, pairs, sums);
    case 3: return tile<3>(values, stride, panel, pairs, sums);
    case 4: return tile<4>(values, stride, panel, pairs, sums);
    case 5: return tile<5>(values, stride, panel, pairs, sums);
    default: return tile<6>(values, stride, panel, pairs, sums);
    }
}

inline void products(const Value *values, int64_t stride, int rows, Panel panel, int64_t inputs, int32_t *sums) {
    word_products(values, stride, rows, panel.weights, inputs / 2, sums);
}

#include "arithmetic.inc"

} // namespace avx2
} // namespace

const Path avx2_path = {"avx2", avx2::GROUP, avx2::linear, avx2::embed, avx2::encode};

} // namespace nlmchem

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
