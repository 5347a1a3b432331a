/*
 * Question: which high bits of a branch's address does each level of the branch target buffer distinguish?
 *
 * Experiment: two images of a row of branches, at addresses that differ in chosen bits only, and with other targets
 * (lib/kernels/branch_images.h). A level that takes a branch of one image for that of the other finds a wrong target
 * each time. The control is the second image half a line behind, where no branch has a place in common with the first.
 * Branches between the images take all entries of the levels before the one that is looked at. There is no curve: the
 * second image takes as long as its control, or longer by what a wrong target costs.
 *
 * Inference: a bit that does not show when it is inverted alone does not matter; two that do not show when they are
 * inverted together are seen by their XOR only (lib/structure/btb_tags.h). Random differences, at other addresses,
 * verify the result.
 *
 * What could mislead: a structure other than the buffer in which the images displace each other would show in the
 * control, too, as this has the same pages.
 *
 * Sources: aliasing of branches as in Evtyushkin et al. 2016 and in Wikner and Razavi 2022 (Retbleed: XORs of 12 bits
 * apart on AMD's cores), there with privileges to be crossed, here within our own code, and by time. Images, control
 * and branches between are ours. docs/METHODS.md, 5.16.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/random.h"
#include "lib/base/reason.h"
#include "lib/finding/report.h"
#include "lib/kernels/branch_images.h"
#include "lib/probe/probe.h"
#include "lib/probe/table.h"
#include "lib/structure/btb_tags.h"

/*
 * Cycles of a branch by which the second image takes longer than its control where branches are taken for others. A
 * wrong target is noticed when the branch is decoded, eight cycles later or more on the cores in scope; this is half of
 * that. Zen 4: ten cycles, and 2.7 at most without collisions, as branches between the images are in one set with some.
 */
static const double COLLIDES_CYCLES = 4;

enum {
    LEVELS = 3,
    COUNTS = 41, /* of branches between images: 16 to 16,384, four an octave */
    LEAST = 16,
    FEWEST = 8,      /* with which the loop itself is measured */
    AGAIN = 3,       /* quick samples of each */
    FIRST_SLOTS = 4, /* of an image that looks at the first level, which holds 16 branches or more */
    LEAD = 2,        /* samples by which one result has to lead */
    ATTEMPTS = 64,
    DIFFERENCES = BTB_TAG_BITS * BTB_TAG_BITS / 2,
    CHECKS = 32 /* random differences */
};

static const unsigned highest_bits[] = {44, 33, 30, 24}; /* of the block: the first one that can be mapped */
static const char NAME[] = "frontend.btb.tag_bits";

struct images {
    struct probe *p;
    struct image_room room;
    unsigned highest;
    uint64_t differences[DIFFERENCES];
    size_t slots, between;  /* of the level that is looked at */
    uint64_t iterations[2]; /* of a reading: image, control */
    unsigned unmeasured;    /* differences without a clear result */
    const char *why;        /* images cannot be mapped; NULL: they can */
};

/* ---- One difference ------------------------------------------------------------------------------- */

/* Cycles by which a branch takes longer than in the control; NaN where a reading was disturbed. */
static bool measure(struct images *e, uint64_t difference, double *longer)
{
    struct branch_images i = {.room = &e->room, .difference = difference, .slots = e->slots, .between = e->between};
    double cycles[2];

    for (unsigned control = 0; control < 2; control++) {
        struct kernel k;
        i.control = control;
        if (!branch_images_build(e->p, &i, &k) ||
            !probe_quick_sample(e->p, &k, &e->iterations[control], &cycles[control]))
            return false;
    }
    *longer = cycles[0] - cycles[1];
    return true;
}

static bool collide(void *context, uint64_t difference, bool *result)
{
    struct images *e = context;
    int lead = 0;

    for (unsigned i = 0; i < probe_smoke(e->p, 1, ATTEMPTS) && lead < LEAD && lead > -LEAD; i++) {
        double longer;
        if (!measure(e, difference, &longer))
            return false;
        if (!isnan(longer))
            lead += longer > COLLIDES_CYCLES ? 1 : -1;
    }
    e->unmeasured += lead > -LEAD && lead < LEAD;
    *result = lead > 0;
    return true;
}

/* ---- One level ------------------------------------------------------------------------------------ */

/* Cycles of an iteration with so many branches between images that are left out: the least of some samples. */
static bool measure_between(struct images *e, size_t branches, double *cycles)
{
    const struct branch_images i = {.room = &e->room, .between = branches};
    uint64_t iterations = 0;

    *cycles = INFINITY;
    for (unsigned again = 0; again < ATTEMPTS && (again < AGAIN || *cycles == INFINITY); again++) {
        struct kernel k;
        double sample;
        if (!branch_images_build(e->p, &i, &k) || !probe_quick_sample(e->p, &k, &iterations, &sample))
            return false;
        *cycles = fmin(*cycles, sample * (double)branches);
    }
    return true;
}

/* Sets *count to how many levels show, and between[] to branches that take all entries of the levels before each. */
static bool find_between(struct images *e, size_t *between, size_t *count)
{
    double cycles[COUNTS], loop;
    size_t counts[COUNTS], second[LEVELS];

    if (!measure_between(e, FEWEST, &loop)) /* the loop's own branches, and so many */
        return false;
    for (size_t n = 0; n < COUNTS; n++) {
        counts[n] = (size_t)(LEAST / 4) * (4 + n % 4) << n / 4;
        if (!measure_between(e, counts[n], &cycles[n]))
            return false;
        cycles[n] = (cycles[n] - loop) / (double)(counts[n] - FEWEST);
    }
    *count = btb_tags_levels(cycles, COUNTS, second, LEVELS);
    for (size_t level = 1; level < *count; level++)
        between[level] = counts[second[level]];
    return true;
}

/* Verifies what was found by random differences, half of which should not show where there are such. */
static bool verify(struct images *e, struct btb_tags *tags)
{
    size_t count = 0;

    for (unsigned i = 0; i < CHECKS; i++) {
        e->differences[count] = btb_tags_draw(tags, i % 2, &e->p->random);
        count += e->differences[count] != 0;
    }
    e->why = image_room_map(&e->room, e->highest, e->differences, count, &e->p->random);
    bool good = e->why || image_room_write(e->p, &e->room, e->slots);
    for (size_t i = 0; i < count && good && !e->why; i++) {
        const bool expected = btb_tags_collide(tags, e->differences[i]);
        bool collides;
        good = collide(e, e->differences[i], &collides);
        tags->checked++;
        tags->missed += good && collides != expected;
        tags->hidden |= expected;
    }
    tags->unmeasured += e->unmeasured;
    image_room_unmap(&e->room);
    return good;
}

static void send(const struct images *e, unsigned level, const struct btb_tags *tags)
{
    struct record r;

    record_table(e->p, &r, "tags");
    record_number(&r, "level", level);
    record_number(&r, "between", (double)e->between);
    record_number(&r, "unmeasured", tags->unmeasured);
    record_number(&r, "checked", tags->checked);
    record_number(&r, "missed", tags->missed);
    RECORD_COLUMNS(&r, "bit", "with");
    for (size_t i = 0; i < tags->count; i++)
        for (uint64_t bits = tags->masks[i]; bits; bits &= bits - 1) {
            record_array(&r, NULL);
            record_number(&r, NULL, __builtin_ctzll(bits));
            record_number(&r, NULL, __builtin_ctzll(tags->masks[i]));
            record_close(&r);
        }
    record_close(&r);
    record_send(&r);
}

static void report_level(struct images *e, unsigned level, uint64_t bits, const struct btb_tags *tags)
{
    char found[BTB_TAG_TEXT], ignored[BTB_TAG_TEXT], tried[48], checked[64];
    struct finding f = {.name = NAME,
                        .variants = {{"level", .number = level}},
                        .value = NAN,
                        .low = NAN,
                        .high = NAN,
                        .grade = tags->hidden ? 'B' : 'C',
                        .reason = e->why                 ? REASON_PLATFORM
                                  : probe_is_smoke(e->p) ? REASON_TOO_SHORT
                                  : tags->missed         ? REASON_NOT_LINEAR
                                  : tags->unmeasured     ? REASON_NOISE
                                                         : REASON_NONE,
                        .detail = e->why,
                        .method = "branches whose addresses differ in chosen bits: does one find the other's target?"};

    if (f.reason) {
        report_number(e->p, &f, NAN);
        return;
    }
    btb_tags_text(tags->masks, tags->count, found);
    btb_tags_bits_text(tags->ignored, ignored);
    snprintf(tried, sizeof tried, "%d to %u, alone and in pairs", __builtin_ctzll(bits), e->highest);
    snprintf(checked, sizeof checked, "%u of %u random differences foreseen", tags->checked, tags->checked);
    f.text = tags->count ? found : "none";
    f.remarks[0].key = "tried";
    f.remarks[0].text = tried;
    f.remarks[1].key = "checked";
    f.remarks[1].text = checked;
    f.remarks[2].key = tags->ignored ? "ignored" : NULL;
    f.remarks[2].text = ignored;
    report(e->p, &f);
}

/* ---- The probe ------------------------------------------------------------------------------------ */

static void choose(struct images *e, unsigned level, const size_t *between)
{
    e->iterations[0] = e->iterations[1] = 0;
    e->unmeasured = 0;
    e->slots = level == 1 ? FIRST_SLOTS : IMAGE_SLOTS;
    e->between = level == 1 ? 0 : between[level - 1];
}

/* Maps images where one and two of the bits are inverted that can be; stores these bits. Sets e->why. */
static void map(struct images *e, uint64_t *bits)
{
    for (size_t i = probe_is_smoke(e->p) ? 3 : 0; i < sizeof highest_bits / sizeof *highest_bits; i++) {
        size_t count = 0;
        e->highest = highest_bits[i];
        *bits = (UINT64_C(2) << e->highest) - machine_info()->page_bytes[0];
        *bits = probe_is_smoke(e->p) ? *bits & -*bits : *bits;
        for (uint64_t one = *bits; one; one &= one - 1) {
            e->differences[count++] = one & -one;
            for (uint64_t other = one & (one - 1); other; other &= other - 1)
                e->differences[count++] = (one & -one) ^ (other & -other);
        }
        e->why = image_room_map(&e->room, e->highest, e->differences, count, &e->p->random);
        if (!e->why)
            return;
        image_room_unmap(&e->room);
    }
}

/* Finds what each level distinguishes, with the images that are mapped. False: the probe is over. */
static bool find_levels(struct images *e, uint64_t bits, struct btb_tags *tags, size_t *between, size_t *levels)
{
    const struct btb_tag_trial trial = {.collide = collide, .context = e};

    *levels = 1;
    if (!image_room_write(e->p, &e->room, IMAGE_SLOTS) || (!probe_is_smoke(e->p) && !find_between(e, between, levels)))
        return false;
    for (unsigned level = 1; level <= *levels; level++) {
        choose(e, level, between);
        if (!image_room_write(e->p, &e->room, e->slots) || !btb_tags_find(&trial, bits, &tags[level - 1]))
            return false;
        tags[level - 1].unmeasured = e->unmeasured;
    }
    return true;
}

static void run(struct probe *p)
{
    struct images *e = probe_calloc(p, 1, sizeof *e);
    struct btb_tags tags[LEVELS];
    size_t between[LEVELS], levels = 0;
    uint64_t bits;

    if (!e)
        return;
    e->p = p;
    map(e, &bits);
    if (e->why || (find_levels(e, bits, tags, between, &levels) && !levels))
        report_number(
            p, &(struct finding){.name = NAME, .reason = e->why ? REASON_PLATFORM : REASON_NO_LEVEL, .detail = e->why},
            NAN);
    if (!e->why)
        image_room_unmap(&e->room);
    for (unsigned level = 1; level <= levels && p->outcome == OUTCOME_OK; level++) {
        choose(e, level, between);
        if (verify(e, &tags[level - 1])) {
            send(e, level, &tags[level - 1]);
            report_level(e, level, bits, &tags[level - 1]);
        }
    }
    free(e);
}

PROBE(btb_tags, .title = "Addresses in branch target buffers", .family = "frontend", .run = run,
      .findings = FINDINGS({"frontend.btb.tag_bits", "bits",
                            "address bits, from those of page numbers on, by which that level distinguishes branches: "
                            "each alone, or the XOR of those that ^ joins"}));
