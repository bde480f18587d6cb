// What a path of the kernel is, and the layers that it computes. See arithmetic.inc for the arithmetic itself.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define NLMCHEM_ASAN
#endif

// Compilers without AMX build the other paths. Only Linux has to be asked for the registers of tiles.
#if defined(__x86_64__) && defined(__linux__) && __has_include(<amxint8intrin.h>)
#define NLMCHEM_AMX
#endif

namespace nlmchem {

constexpr int LANES = 16;    // floats that are computed together, on every processor
constexpr int BLOCK = 192;   // rows that share widened weights; what a layer writes for them stays in the caches
constexpr int LARGEST = 127; // the largest rounded activation; the smallest is -127

// The weights of a product: int8 in panels of 16 outputs, each [inputs / group][16][group]; see `Kernel.packed`.
struct Weights {
    const int8_t *panels;
    const float *scale, *bias; // one an output
    int64_t inputs, outputs;   // multiples of 16
};

struct Norm {
    const float *weight, *bias;
};

struct Layer {
    Weights inputs, output, up, down; // `inputs`: query, key and value, each as heads x head
    Norm first, last;
};

// `width`: floats in a row of states, a multiple of 16; `count`: those with a meaning, the others are 0.
struct Shape {
    int64_t width, count, heads, head;
    float factor; // of the product of a query and a key: log2(e) / sqrt(head), without padding
    float epsilon;
};

// int8 rows with a scale each, and float32 rows: what the embedding of a word piece is the sum of.
struct Tables {
    const int8_t *words;
    const float *scale, *places, *cases;
    Norm norm;
};

struct Path {
    const char *name;
    int64_t group; // inputs that lie side by side in a panel
    // These return false if there is not enough memory.
    bool (*linear)(const Weights &, const float *values, int64_t rows, float *out);
    bool (*embed)(const Shape &, const Tables &, const int32_t *ids, int64_t rows, float *states);
    bool (*encode)(const Shape &, const Layer *, int64_t layers, const int64_t *lengths, int64_t windows,
                   float *states);
};

extern const Path portable_path;
#if defined(__x86_64__) || defined(NLMCHEM_SIMDE)
extern const Path avx512_path;
#endif
#if defined(__x86_64__)
extern const Path avx2_path;
#endif
#ifdef NLMCHEM_AMX
extern const Path avx512_amx_path;
bool has_tiles(); // whether this process may use it
#endif
#if defined(__aarch64__)
extern const Path neon_path;
#endif

inline int64_t rounded_up(int64_t number, int64_t multiple) { return (number + multiple - 1) / multiple * multiple; }

#ifdef NLMCHEM_ASAN
constexpr int64_t GAP = 64; // between the parts, so that a read or write behind a part is reported
#else
constexpr int64_t GAP = 0;
#endif

// One piece of memory and its parts, each aligned to 64 bytes. Before `allocate`, parts are only counted.
class Memory {
  public:
    ~Memory() { std::free(start); }
    Memory() = default;
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;

    bool allocate() {
        start = static_cast<char *>(std::aligned_alloc(64, used + 64));
        used = 0;
        return start != nullptr;
    }

    template <class T> T *take(int64_t number) {
        const int64_t at = used, bytes = number * int64_t(sizeof(T));
        used += rounded_up(bytes, 64) + GAP;
        if (!start) return nullptr;
#ifdef NLMCHEM_ASAN
        ASAN_POISON_MEMORY_REGION(start + at + bytes, used - at - bytes);
#endif
        return reinterpret_cast<T *>(start + at);
    }

  private:
    char *start = nullptr;
    int64_t used = 0;
};

} // namespace nlmchem
