// Runs layers of random shapes by every path that this program has, and compares their bytes with the portable path.
// Arrays have exactly the sizes that the kernel may use, so AddressSanitizer reports each access beside them.

#include "kernel.h"

#include <cstdio>
#include <random>
#include <vector>

using namespace nlmchem;

static std::mt19937 chance(7);
static int64_t between(int64_t low, int64_t high) { return low + int64_t(chance() % uint64_t(high - low + 1)); }
static float around(float middle, float width) { return middle + width * (float(chance() % 20001) / 10000 - 1); }

static std::vector<float> floats(int64_t number, float middle, float width) {
    std::vector<float> made(number);
    for (float &one : made) one = around(middle, width);
    return made;
}

static std::vector<int8_t> integers(int64_t number) {
    std::vector<int8_t> made(number);
    for (int8_t &one : made) one = int8_t(between(-127, 127));
    return made;
}

struct Product {
    int64_t inputs, outputs;
    std::vector<int8_t> weights, panels;
    std::vector<float> scale, bias;

    Product(int64_t inputs, int64_t outputs)
        : inputs(inputs), outputs(outputs), weights(integers(inputs * outputs)), panels(weights.size()),
          scale(floats(outputs, 2e-3f, 1e-3f)), bias(floats(outputs, 0, 0.3f)) {}

    Weights packed(int64_t group) {
        for (int64_t output = 0; output < outputs; output++)
            for (int64_t input = 0; input < inputs; input++)
                panels[output / 16 * 16 * inputs + (input / group * 16 + output % 16) * group + input % group] =
                    weights[output * inputs + input];
        return {panels.data(), scale.data(), bias.data(), inputs, outputs};
    }
};

static bool equal(const char *what, const Path &path, const std::vector<float> &one, const std::vector<float> &two) {
    if (!std::memcmp(one.data(), two.data(), one.size() * sizeof(float))) return true;
    std::printf("%s of %s differs from the portable path\n", what, path.name);
    return false;
}

int main(int, char **given) {
    std::vector<const Path *> paths = {&portable_path};
#if defined(NLMCHEM_SIMDE)
    paths.push_back(&avx512_path);
#elif defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) paths.push_back(&avx2_path);
    if (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw")) paths.push_back(&avx512_path);
#ifdef NLMCHEM_AMX
    if (has_tiles()) paths.push_back(&avx512_amx_path);
#endif
#elif defined(__aarch64__)
    paths.push_back(&neon_path);
#endif
    bool same = true;
    for (int round = 0; round < std::atoi(given[1]); round++) {
        Product linear(16 * between(1, 9), 16 * between(1, 5));
        const int64_t rows = between(1, 110);
        const std::vector<float> values = floats(rows * linear.inputs, 0, round % 3 ? 1e-20f : 3);
        const int64_t heads = between(1, 3), head = 16 * between(1, 8), width = 16 * between(1, 9);
        Product inputs(width, 3 * heads * head), output(heads * head, width), up(width, 16 * between(1, 20)),
            down(up.outputs, width);
        const std::vector<float> weight = floats(width, 1, 0.3f), bias = floats(width, 0, 0.3f);
        const Shape shape{width, width - between(0, 15), heads, head, 0.36f, 1e-12f};
        const std::vector<float> places = floats(9 * width, 0, 1), cases = floats(2 * width, 0, 1);
        const std::vector<int8_t> words = integers(30 * width);
        const std::vector<float> scale = floats(30, 2e-2f, 1e-2f);
        const Tables tables{words.data(), scale.data(), places.data(), cases.data(), {weight.data(), bias.data()}};
        std::vector<int64_t> lengths;
        std::vector<int32_t> ids;
        for (int64_t window = between(1, 4); window; window--) lengths.push_back(between(1, 70));
        for (int64_t length : lengths)
            for (; length; length--)
                for (int32_t most : {29, 8, 1}) ids.push_back(int32_t(between(0, most)));
        const int64_t pieces = int64_t(ids.size()) / 3;

        std::vector<float> products[2], embedded[2], states[2];
        for (const Path *path : paths) {
            const int own = path != paths[0];
            products[own].assign(rows * linear.outputs, 0);
            path->linear(linear.packed(path->group), values.data(), rows, products[own].data());
            embedded[own].assign(pieces * width, 0);
            path->embed(shape, tables, ids.data(), pieces, embedded[own].data());
            const Layer layer{inputs.packed(path->group), output.packed(path->group), up.packed(path->group),
                              down.packed(path->group), {weight.data(), bias.data()}, {weight.data(), bias.data()}};
            states[own] = embedded[own];
            path->encode(shape, &layer, 1, lengths.data(), int64_t(lengths.size()), states[own].data());
            if (!own) continue;
            same &= equal("linear", *path, products[0], products[1]);
            same &= equal("embed", *path, embedded[0], embedded[1]);
            same &= equal("encode", *path, states[0], states[1]);
        }
    }
    for (const Path *path : paths) std::printf("%s ", path->name);
    std::printf("%s\n", same ? "equal" : "different");
    return same ? 0 : 1;
}
