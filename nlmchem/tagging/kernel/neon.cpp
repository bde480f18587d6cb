// ARM with NEON and its dot products of int8 (sdot): 16 lanes are four registers.
#include "kernel.h"

#if defined(__aarch64__)
#include <arm_neon.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("dotprod"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("arch=armv8.2-a+dotprod")
#endif

namespace nlmchem {
namespace {
namespace neon {

constexpr int TILE = 4, QUERIES = TILE; // rows of a tile of products, and of one of words
constexpr int PANELS = 1;
constexpr int64_t GROUP = 4;

struct F { float32x4_t v[4]; };
struct I { int32x4_t v[4]; };
using Value = int8_t;
using Room = int8_t;
struct Setup { explicit Setup(int64_t) {} };
struct Panel { const int8_t *weights; };

#define QUARTERS _Pragma("GCC unroll 4") for (int q = 0; q < 4; q++)
inline F load(const float *from) { F f; QUARTERS f.v[q] = vld1q_f32(from + 4 * q); return f; }
inline void store(float *to, F f) { QUARTERS vst1q_f32(to + 4 * q, f.v[q]); }
inline F all(float value) { F f; QUARTERS f.v[q] = vdupq_n_f32(value); return f; }
inline F add(F a, F b) { QUARTERS a.v[q] = vaddq_f32(a.v[q], b.v[q]); return a; }
inline F subtract(F a, F b) { QUARTERS a.v[q] = vsubq_f32(a.v[q], b.v[q]); return a; }
inline F multiply(F a, F b) { QUARTERS a.v[q] = vmulq_f32(a.v[q], b.v[q]); return a; }
inline F fma(F a, F b, F c) { QUARTERS c.v[q] = vfmaq_f32(c.v[q], a.v[q], b.v[q]); return c; }
inline F larger(F a, F b) { QUARTERS a.v[q] = vmaxq_f32(a.v[q], b.v[q]); return a; }
inline F smaller(F a, F b) { QUARTERS a.v[q] = vminq_f32(a.v[q], b.v[q]); return a; }
inline F magnitude(F f) { QUARTERS f.v[q] = vabsq_f32(f.v[q]); return f; }
inline float sum(F f) {
    const float32x4_t four = vaddq_f32(vaddq_f32(f.v[0], f.v[2]), vaddq_f32(f.v[1], f.v[3]));
    const float32x2_t two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
    return vget_lane_f32(two, 0) + vget_lane_f32(two, 1);
}
inline float largest(F f) {
    return vmaxvq_f32(vmaxq_f32(vmaxq_f32(f.v[0], f.v[1]), vmaxq_f32(f.v[2], f.v[3])));
}
inline I load(const int32_t *from) { I i; QUARTERS i.v[q] = vld1q_s32(from + 4 * q); return i; }
inline void store(int32_t *to, I i) { QUARTERS vst1q_s32(to + 4 * q, i.v[q]); }
inline F floats(I i) { F f; QUARTERS f.v[q] = vcvtq_f32_s32(i.v[q]); return f; }
inline F floats(const int8_t *from) {
    const int8x16_t bytes = vld1q_s8(from);
    const int16x8_t low = vmovl_s8(vget_low_s8(bytes)), high = vmovl_s8(vget_high_s8(bytes));
    return floats(I{{vmovl_s16(vget_low_s16(low)), vmovl_s16(vget_high_s16(low)), vmovl_s16(vget_low_s16(high)),
                     vmovl_s16(vget_high_s16(high))}});
}
inline I integers(F f) { I i; QUARTERS i.v[q] = vcvtnq_s32_f32(f.v[q]); return i; }
inline F times_power(F f, I power) {
    QUARTERS f.v[q] = vreinterpretq_f32_s32(vaddq_s32(vreinterpretq_s32_f32(f.v[q]), vshlq_n_s32(power.v[q], 23)));
    return f;
}
inline void store_words(int16_t *to, I i) {
    vst1q_s16(to, vcombine_s16(vmovn_s32(i.v[0]), vmovn_s32(i.v[1])));
    vst1q_s16(to + 8, vcombine_s16(vmovn_s32(i.v[2]), vmovn_s32(i.v[3])));
}
inline void store_values(Value *to, I i) {
    const int16x8_t low = vcombine_s16(vmovn_s32(i.v[0]), vmovn_s32(i.v[1]));
    const int16x8_t high = vcombine_s16(vmovn_s32(i.v[2]), vmovn_s32(i.v[3]));
    vst1q_s8(to, vcombine_s8(vmovn_s16(low), vmovn_s16(high)));
}
inline I pairs(I low, I high) {
    QUARTERS low.v[q] = vsliq_n_s32(vandq_s32(low.v[q], vdupq_n_s32(0xffff)), high.v[q], 16);
    return low;
}

inline Panel open(const int8_t *packed, int64_t, int, Room *) { return {packed}; }

// Rows of a tile that do not exist repeat the last row, so that the loops have fixed lengths.
inline void products(const Value *values, int64_t stride, int rows, Panel panel, int64_t inputs, int32_t *sums) {
    int32x4_t totals[TILE][4];
    const Value *from[TILE];
#pragma GCC unroll 4
    for (int row = 0; row < TILE; row++) {
        QUARTERS totals[row][q] = vdupq_n_s32(0);
        from[row] = values + (row < rows ? row : rows - 1) * stride;
    }
    for (int64_t at = 0; at < inputs; at += GROUP) {
        int8x16_t weights[4];
        QUARTERS weights[q] = vld1q_s8(panel.weights + at * LANES + 16 * q);
#pragma GCC unroll 4
        for (int row = 0; row < TILE; row++) {
            int32_t four;
            std::memcpy(&four, from[row] + at, 4);
            const int8x16_t value = vreinterpretq_s8_s32(vdupq_n_s32(four));
            QUARTERS totals[row][q] = vdotq_s32(totals[row][q], weights[q], value);
        }
    }
#pragma GCC unroll 4
    for (int row = 0; row < TILE; row++) QUARTERS vst1q_s32(sums + row * LANES + 4 * q, totals[row][q]);
}

inline void word_products(const int16_t *values, int64_t stride, int rows, const int16_t *panel, int64_t pairs,
                          int32_t *sums) {
    int32x4_t totals[TILE][4];
    const int16_t *from[TILE];
#pragma GCC unroll 4
    for (int row = 0; row < TILE; row++) {
        QUARTERS totals[row][q] = vdupq_n_s32(0);
        from[row] = values + (row < rows ? row : rows - 1) * stride;
    }
    for (int64_t at = 0; at < pairs; at++) {
        const int16x8x2_t first = vld2q_s16(panel + at * 2 * LANES), second = vld2q_s16(panel + at * 2 * LANES + LANES);
#pragma GCC unroll 4
        for (int row = 0; row < TILE; row++) {
#pragma GCC unroll 2
            for (int side = 0; side < 2; side++) {
                const int16_t value = from[row][2 * at + side];
                int32x4_t *total = totals[row];
                total[0] = vmlal_n_s16(total[0], vget_low_s16(first.val[side]), value);
                total[1] = vmlal_n_s16(total[1], vget_high_s16(first.val[side]), value);
                total[2] = vmlal_n_s16(total[2], vget_low_s16(second.val[side]), value);
                total[3] = vmlal_n_s16(total[3], vget_high_s16(second.val[side]), value);
            }
        }
    }
#pragma GCC unroll 4
    for (int row = 0; row < TILE; row++) QUARTERS vst1q_s32(sums + row * LANES + 4 * q, totals[row][q]);
}

#include "arithmetic.inc"

} // namespace neon
} // namespace

const Path neon_path = {"neon", neon::GROUP, neon::linear, neon::embed, neon::encode};

} // namespace nlmchem

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
