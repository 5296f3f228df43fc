// to_chars.cpp: the C++ standard library's shortest float32, as a peer of bench/numbers.
#include <charconv>
#include <cstddef>

// Each behind a tab.
extern "C" std::size_t to_chars_shortest(const float *values, std::size_t n, char *text)
{
    char *at = text;
    for (std::size_t i = 0; i < n; i++) {
        *at++ = '\t';
        at = std::to_chars(at, at + 128, values[i]).ptr;
    }
    return static_cast<std::size_t>(at - text);
}
