// AVX-512 in portable C for `avx512.cpp`: SIMDe, and what version 0.7.4 of it lacks: five
// instructions, and the single rounding of a fused multiply-add.
#pragma once

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#include <simde/x86/fma.h>

#include <cmath>
#include <cstdint>
#include <cstring>

template <class To, class From, class Result, class Given, class Convert> Result each(Given given, Convert convert) {
    Result result;
    From from[16];
    To to[16];
    std::memcpy(from, &given, sizeof from);
    for (int lane = 0; lane < 16; lane++) to[lane] = convert(from[lane]);
    static_assert(sizeof result == sizeof to);
    std::memcpy(&result, to, sizeof to);
    return result;
}

inline __m512 _mm512_cvtepi32_ps(__m512i v) {
    return each<float, int32_t, __m512>(v, [](int32_t one) { return float(one); });
}
inline __m512i _mm512_cvtps_epi32(__m512 v) {
    return each<int32_t, float, __m512i>(v, [](float one) { return int32_t(std::nearbyint(one)); });
}
inline __m512i _mm512_cvtepi8_epi32(__m128i v) {
    return each<int32_t, int8_t, __m512i>(v, [](int8_t one) { return int32_t(one); });
}
inline __m256i _mm512_cvtepi32_epi16(__m512i v) {
    return each<int16_t, int32_t, __m256i>(v, [](int32_t one) { return int16_t(one); });
}
inline __m128i _mm512_cvtepi32_epi8(__m512i v) {
    return each<int8_t, int32_t, __m128i>(v, [](int32_t one) { return int8_t(one); });
}

#undef _mm512_fmadd_ps
inline __m512 _mm512_fmadd_ps(__m512 a, __m512 b, __m512 c) {
    float one[16], two[16], three[16];
    std::memcpy(one, &a, sizeof a), std::memcpy(two, &b, sizeof b), std::memcpy(three, &c, sizeof c);
    for (int lane = 0; lane < 16; lane++) one[lane] = std::fmaf(one[lane], two[lane], three[lane]);
    std::memcpy(&a, one, sizeof a);
    return a;
}
