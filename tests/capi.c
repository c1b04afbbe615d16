/* The C interface as a C program sees it. Prints one line a failure; returns how many there were. */
#include "restride.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                                     \
    do {                                                                                     \
        if (!(condition)) {                                                                  \
            failures++;                                                                      \
            printf("line %d: %s (last error: %s)\n", __LINE__, #condition, restride_last_error()); \
        }                                                                                    \
    } while (0)

/* Expects an error code and a text that contains `word`. */
#define REFUSED(call, expected, word)                                                        \
    do {                                                                                     \
        CHECK((call) == (expected));                                                         \
        CHECK(strstr(restride_last_error(), (word)) != NULL);                                \
    } while (0)

static void a_plan_is_used_again(void) {
    size_t shape[2] = {4, 3};
    ptrdiff_t src_strides[2] = {4, 16}, dst_strides[2] = {12, 4};
    restride_plan *plan = NULL;
    CHECK(restride_plan_new(4, 2, shape, src_strides, dst_strides, 1, &plan) == RESTRIDE_OK);
    CHECK(plan != NULL);
    memset(shape, 0xff, sizeof shape); /* the arrays are not needed any more */
    for (int32_t round = 0; round < 3; round++) {
        int32_t src[12], dst[12];
        for (int32_t i = 0; i < 12; i++) src[i] = 100 * round + i;
        CHECK(restride_plan_execute(plan, src, dst) == RESTRIDE_OK);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 3; j++) CHECK(dst[3 * i + j] == src[4 * j + i]);
    }
    restride_plan_free(plan);
    restride_plan_free(NULL);
}

static void negative_strides_start_at_the_far_end(void) {
    const size_t shape[2] = {5, 7};
    const ptrdiff_t backward[2] = {-7, -1}, forward[2] = {7, 1};
    uint8_t src[35], dst[35];
    for (int i = 0; i < 35; i++) src[i] = (uint8_t)i;
    CHECK(restride_copy(1, 2, shape, backward, src + 34, forward, dst, 0) == RESTRIDE_OK);
    for (int i = 0; i < 35; i++) CHECK(dst[i] == 34 - i);
    memset(dst, 0, sizeof dst);
    CHECK(restride_copy(1, 2, shape, forward, src, backward, dst + 34, 0) == RESTRIDE_OK);
    for (int i = 0; i < 35; i++) CHECK(dst[i] == 34 - i);
}

struct particle {
    char tag;
    double position[3];
    float mass;
};

static void fields_of_structs_are_gathered_and_scattered(void) {
    enum { N = 50 };
    struct particle particles[N];
    double positions[3][N];
    memset(particles, 0x5a, sizeof particles);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++) particles[i].position[k] = i + 100.0 * k;
    const size_t shape[2] = {3, N};
    const ptrdiff_t fields[2] = {sizeof(double), sizeof(struct particle)};
    const ptrdiff_t rows[2] = {N * sizeof(double), sizeof(double)};
    CHECK(restride_copy(sizeof(double), 2, shape, fields, &particles[0].position, rows, positions,
                        1) == RESTRIDE_OK);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++) CHECK(positions[k][i] == i + 100.0 * k);

    /* Back into the fields: what lies between them stays. */
    struct particle others[N];
    memset(others, 0x77, sizeof others);
    CHECK(restride_copy(sizeof(double), 2, shape, rows, positions, fields, &others[0].position, 1)
          == RESTRIDE_OK);
    unsigned char kept[sizeof(float)];
    memset(kept, 0x77, sizeof kept);
    for (int i = 0; i < N; i++) {
        CHECK(memcmp(others[i].position, particles[i].position, sizeof others[i].position) == 0);
        CHECK(others[i].tag == 0x77);
        CHECK(memcmp(&others[i].mass, kept, sizeof kept) == 0);
    }
}

static void large_copies_may_use_threads(void) {
    enum { N = 1200 };
    const size_t shape[2] = {N, N};
    const ptrdiff_t columns[2] = {4, 4 * N}, rows[2] = {4 * N, 4};
    uint32_t *src = malloc(4 * N * N), *dst = malloc(4 * N * N);
    for (uint32_t i = 0; i < N * N; i++) src[i] = i;
    for (size_t threads = 0; threads < 4; threads++) {
        memset(dst, 0, 4 * N * N);
        CHECK(restride_copy(4, 2, shape, columns, src, rows, dst, threads) == RESTRIDE_OK);
        int wrong = 0;
        for (uint32_t i = 0; i < N; i++)
            for (uint32_t j = 0; j < N; j++) wrong += dst[N * i + j] != N * j + i;
        CHECK(wrong == 0);
    }
    free(src);
    free(dst);
}

static void nothing_to_copy_needs_no_memory(void) {
    const size_t empty[2] = {0, 3};
    const ptrdiff_t any[2] = {PTRDIFF_MAX, PTRDIFF_MIN};
    CHECK(restride_copy(8, 2, empty, any, NULL, any, NULL, 0) == RESTRIDE_OK);
    /* A scalar has no arrays. */
    double one = 1.5, other = 0;
    CHECK(restride_copy(8, 0, NULL, NULL, &one, NULL, &other, 0) == RESTRIDE_OK);
    CHECK(other == 1.5);
    /* The strides of unit axes decide nothing. */
    const size_t unit[2] = {1, 1};
    other = 0;
    CHECK(restride_copy(8, 2, unit, any, &one, any, &other, 0) == RESTRIDE_OK);
    CHECK(other == 1.5);
}

static void bad_input_is_refused(void) {
    const size_t shape[2] = {4, 3};
    const ptrdiff_t src_strides[2] = {4, 16}, dst_strides[2] = {12, 4};
    int32_t src[12] = {0}, dst[12];
    restride_plan *plan;
    memset(dst, 0x11, sizeof dst);

    plan = (restride_plan *)src;
    REFUSED(restride_plan_new(4, 2, NULL, src_strides, dst_strides, 0, &plan),
            RESTRIDE_ERROR_POINTER, "shape");
    CHECK(plan == NULL);
    REFUSED(restride_plan_new(4, 2, shape, NULL, dst_strides, 0, &plan), RESTRIDE_ERROR_POINTER,
            "src_strides");
    REFUSED(restride_plan_new(4, 2, shape, src_strides, NULL, 0, &plan), RESTRIDE_ERROR_POINTER,
            "dst_strides");
    REFUSED(restride_plan_new(4, 2, shape, src_strides, dst_strides, 0, NULL),
            RESTRIDE_ERROR_POINTER, "out");
    REFUSED(restride_plan_new(4, 2, (const size_t *)((const char *)shape + 1), src_strides,
                              dst_strides, 0, &plan),
            RESTRIDE_ERROR_POINTER, "aligned");
    REFUSED(restride_plan_execute(NULL, src, dst), RESTRIDE_ERROR_POINTER, "plan");
    REFUSED(restride_copy(4, 2, shape, src_strides, NULL, dst_strides, dst, 0),
            RESTRIDE_ERROR_POINTER, "src");
    REFUSED(restride_copy(4, 2, shape, src_strides, src, dst_strides, NULL, 0),
            RESTRIDE_ERROR_POINTER, "dst");

    REFUSED(restride_copy(0, 2, shape, src_strides, src, dst_strides, dst, 0),
            RESTRIDE_ERROR_ELEM_SIZE, "element size");
    REFUSED(restride_copy(4, 65, shape, src_strides, src, dst_strides, dst, 0),
            RESTRIDE_ERROR_RANK, "64");
    REFUSED(restride_copy(4, SIZE_MAX, shape, src_strides, src, dst_strides, dst, 0),
            RESTRIDE_ERROR_RANK, "64");

    const size_t huge[2] = {SIZE_MAX, SIZE_MAX};
    REFUSED(restride_copy(4, 2, huge, src_strides, src, dst_strides, dst, 0),
            RESTRIDE_ERROR_OVERFLOW, "exceeds");
    const ptrdiff_t extreme[2] = {PTRDIFF_MIN, 4};
    REFUSED(restride_copy(4, 2, shape, extreme, src, dst_strides, dst, 0),
            RESTRIDE_ERROR_OVERFLOW, "source");
    REFUSED(restride_copy(SIZE_MAX, 2, shape, src_strides, src, dst_strides, dst, 0),
            RESTRIDE_ERROR_OVERFLOW, "exceeds");
    const ptrdiff_t down[2] = {-16, -4};
    REFUSED(restride_copy(4, 2, shape, down, (const void *)(uintptr_t)8, dst_strides, dst, 0),
            RESTRIDE_ERROR_OVERFLOW, "source");

    const ptrdiff_t repeated[2] = {0, 4};
    REFUSED(restride_copy(4, 2, shape, src_strides, src, repeated, dst, 0),
            RESTRIDE_ERROR_DST_OVERLAP, "destination");
    CHECK(restride_copy(4, 2, shape, repeated, src, dst_strides, dst, 0) == RESTRIDE_OK);
}

static void a_destination_on_its_source_is_refused(void) {
    int32_t data[24], before[24];
    for (int32_t i = 0; i < 24; i++) data[i] = i;
    memcpy(before, data, sizeof data);
    const size_t shape[2] = {4, 3};
    const ptrdiff_t columns[2] = {4, 16}, rows[2] = {12, 4};
    REFUSED(restride_copy(4, 2, shape, columns, data, rows, data, 0),
            RESTRIDE_ERROR_SRC_DST_OVERLAP, "source and destination");
    REFUSED(restride_copy(4, 2, shape, columns, data, rows, data + 11, 0),
            RESTRIDE_ERROR_SRC_DST_OVERLAP, "source and destination");
    restride_plan *plan;
    CHECK(restride_plan_new(4, 2, shape, columns, rows, 0, &plan) == RESTRIDE_OK);
    REFUSED(restride_plan_execute(plan, data, (char *)data + 1), RESTRIDE_ERROR_SRC_DST_OVERLAP,
            "source and destination");
    CHECK(memcmp(before, data, sizeof data) == 0);
    CHECK(restride_plan_execute(plan, data, data + 12) == RESTRIDE_OK);
    CHECK(data[13] == 4);
    restride_plan_free(plan);

    /* Even and odd elements of one array share nothing, though their reaches cross. */
    const size_t half[1] = {12};
    const ptrdiff_t every_other[1] = {8};
    CHECK(restride_copy(4, 1, half, every_other, data, every_other, data + 1, 0) == RESTRIDE_OK);
    CHECK(data[1] == 0 && data[3] == 2 && data[0] == 0);
}

static void the_library_tells_what_it_is(const char *version, const char *isa) {
    CHECK(strcmp(restride_version(), version) == 0);
    CHECK(strcmp(restride_isa(), isa) == 0);
}

/* With RESTRIDE_ISA set to a tier that does not exist, calls fail instead of ending the program. */
static void no_such_tier(void) {
    const size_t shape[1] = {4};
    const ptrdiff_t strides[1] = {1};
    char src[4] = "abc", dst[4] = "xyz";
    CHECK(strcmp(restride_isa(), "") == 0);
    REFUSED(restride_copy(1, 1, shape, strides, src, strides, dst, 0), RESTRIDE_ERROR_ISA,
            "RESTRIDE_ISA");
    CHECK(strcmp(dst, "xyz") == 0);
}

int main(int argc, char **argv) {
    CHECK(strcmp(restride_last_error(), "") == 0);
    if (argc == 2 && strcmp(argv[1], "no_such_tier") == 0) {
        no_such_tier();
        return failures;
    }
    if (argc != 3) {
        printf("wanted: the expected version and tier\n");
        return 1;
    }
    a_plan_is_used_again();
    negative_strides_start_at_the_far_end();
    fields_of_structs_are_gathered_and_scattered();
    large_copies_may_use_threads();
    nothing_to_copy_needs_no_memory();
    bad_input_is_refused();
    a_destination_on_its_source_is_refused();
    the_library_tells_what_it_is(argv[1], argv[2]);
    return failures;
}
