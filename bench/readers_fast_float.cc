// readers_fast_float.cc: the numbers of a GloVe file by fast_float, for comparison with bench/readers (which
// leaves the file with -k). Not part of the build:
//   g++ -O2 bench/readers_fast_float.cc -o fast_float && ./fast_float FILE      (Debian: libfast-float-dev)
#include <fast_float/fast_float.h>

#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <vector>

static size_t read_all(const char *path, size_t *size)
{
    struct stat st;
    int fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &st) != 0)
        return 0;
    *size = static_cast<size_t>(st.st_size);
    const char *text = static_cast<const char *>(mmap(nullptr, *size, PROT_READ, MAP_PRIVATE, fd, 0));
    const char *p = text, *end = text + *size;
    std::vector<float> numbers;
    numbers.reserve(*size / 8);
    while (p < end) {
        while (*p != ' ')
            p++;
        while (*p == ' ') {
            float number;
            p = fast_float::from_chars(p + 1, end, number).ptr;
            numbers.push_back(number);
        }
        p++;
    }
    munmap(const_cast<char *>(text), *size);
    return numbers.size();
}

int main(int argc, char **argv)
{
    for (int run = 0; run < 3 && argc > 1; run++) {
        size_t size = 0;
        auto start = std::chrono::steady_clock::now();
        size_t count = read_all(argv[1], &size);
        double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        std::printf("fast_float\t%zu numbers\t%.0f MB/s\n", count, static_cast<double>(size) / seconds / 1e6);
    }
    return 0;
}
