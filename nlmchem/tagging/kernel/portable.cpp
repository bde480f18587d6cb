// The reference: plain loops over the lanes. The other paths give the same bytes.
#include "kernel.h"

namespace nlmchem {
namespace {
namespace portable {

constexpr int TILE = 4, QUERIES = TILE; // rows of a tile of products, and of one of words
constexpr int PANELS = 1;
constexpr int64_t GROUP = 4;  // inputs that lie side by side in a panel

struct F { float at[LANES]; };
struct I { int32_t at[LANES]; };
using Value = int8_t; // a rounded activation
using Room = int8_t;  // what `open` may write to, for 16 outputs
struct Setup { explicit Setup(int64_t) {} }; // what a product sets up first
struct Panel { const int8_t *weights; };

#define EACH_LANE for (int lane = 0; lane < LANES; lane++)
inline F load(const float *from) { F f; std::memcpy(&f, from, sizeof f); return f; }
inline void store(float *to, const F &f) { std::memcpy(to, &f, sizeof f); }
inline F all(float value) { F f; EACH_LANE f.at[lane] = value; return f; }
inline F add(F a, const F &b) { EACH_LANE a.at[lane] += b.at[lane]; return a; }
inline F subtract(F a, const F &b) { EACH_LANE a.at[lane] -= b.at[lane]; return a; }
inline F multiply(F a, const F &b) { EACH_LANE a.at[lane] *= b.at[lane]; return a; }
inline F fma(F a, const F &b, const F &c) { EACH_LANE a.at[lane] = std::fmaf(a.at[lane], b.at[lane], c.at[lane]); return a; }
inline F larger(F a, const F &b) { EACH_LANE a.at[lane] = a.at[lane] > b.at[lane] ? a.at[lane] : b.at[lane]; return a; }
inline F smaller(F a, const F &b) { EACH_LANE a.at[lane] = a.at[lane] < b.at[lane] ? a.at[lane] : b.at[lane]; return a; }
inline F magnitude(F a) { EACH_LANE a.at[lane] = std::fabs(a.at[lane]); return a; }
inline float sum(F a) {
    for (int step = LANES / 2; step; step /= 2)
        for (int lane = 0; lane < step; lane++) a.at[lane] += a.at[lane + step];
    return a.at[0];
}
inline float largest(F a) {
    for (int step = LANES / 2; step; step /= 2)
        for (int lane = 0; lane < step; lane++)
            a.at[lane] = a.at[lane] > a.at[lane + step] ? a.at[lane] : a.at[lane + step];
    return a.at[0];
}
inline I load(const int32_t *from) { I i; std::memcpy(&i, from, sizeof i); return i; }
inline void store(int32_t *to, const I &i) { std::memcpy(to, &i, sizeof i); }
inline F floats(const I &i) { F f; EACH_LANE f.at[lane] = float(i.at[lane]); return f; }
inline F floats(const int8_t *from) { F f; EACH_LANE f.at[lane] = float(from[lane]); return f; }
inline I integers(const F &f) {
    I i;
    EACH_LANE {
        float value = std::rint(f.at[lane]); // to even
        i.at[lane] = value >= -2147483648.0f && value < 2147483648.0f ? int32_t(value) : INT32_MIN;
    }
    return i;
}
inline F times_power(F f, const I &power) {
    EACH_LANE {
        uint32_t bits;
        std::memcpy(&bits, &f.at[lane], 4);
        bits += uint32_t(power.at[lane]) << 23;
        std::memcpy(&f.at[lane], &bits, 4);
    }
    return f;
}
inline void store_words(int16_t *to, const I &i) { EACH_LANE to[lane] = int16_t(i.at[lane]); }
inline I pairs(const I &low, const I &high) {
    I i;
    EACH_LANE i.at[lane] = int32_t((uint32_t(low.at[lane]) & 0xffff) | uint32_t(high.at[lane]) << 16);
    return i;
}
inline void store_values(Value *to, const I &i) { EACH_LANE to[lane] = Value(i.at[lane]); }

inline Panel open(const int8_t *packed, int64_t, int, Room *) { return {packed}; }

void products(const Value *values, int64_t stride, int rows, Panel panel, int64_t inputs, int32_t *sums) {
    for (int row = 0; row < rows; row++)
        for (int lane = 0; lane < LANES; lane++) {
            int32_t total = 0;
            for (int64_t input = 0; input < inputs; input++)
                total += int32_t(values[row * stride + input]) *
                         panel.weights[(input / GROUP * LANES + lane) * GROUP + input % GROUP];
            sums[row * LANES + lane] = total;
        }
}

void word_products(const int16_t *values, int64_t stride, int rows, const int16_t *panel, int64_t pairs, int32_t *sums) {
    for (int row = 0; row < rows; row++)
        for (int lane = 0; lane < LANES; lane++) {
            int32_t total = 0;
            for (int64_t at = 0; at < pairs; at++)
                for (int side = 0; side < 2; side++)
                    total += int32_t(values[row * stride + 2 * at + side]) * panel[(at * LANES + lane) * 2 + side];
            sums[row * LANES + lane] = total;
        }
}

#include "arithmetic.inc"

} // namespace portable
} // namespace

const Path portable_path = {"portable", portable::GROUP, portable::linear, portable::embed, portable::encode};

} // namespace nlmchem
