/*
 * fathom knee: what the engine says about a curve that somebody measured with another tool.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "boot/linux/linux.h"
#include "boot/linux/plot.h"
#include "lib/engine/csv.h"
#include "lib/find.h"
#include "lib/engine/gather.h"
#include "lib/engine/knee.h"
#include "lib/record.h"

/* Exit statuses. */
enum { DECIDED = 0, UNDECIDED = 1, USAGE = 2, UNUSABLE = 3 };

enum { CONDITIONS = 8, KINDS_SHOWN = 32, KIND_BYTES = 24, NAME_BYTES = 48, READ_BYTES = 262144 };

struct arguments {
    const char *file;
    const char *x, *y; /* name or number of a column; NULL: not chosen */
    struct condition {
        char column[NAME_BYTES];
        const char *value;
        size_t index;
    } where[CONDITIONS];
    size_t where_count;
    enum knee_kind kind;
    bool json;
};

/* The different texts of a column, as long as they are few. */
struct kinds {
    size_t count; /* KINDS_SHOWN + 1: too many to keep */
    char text[KINDS_SHOWN][KIND_BYTES];
};

struct table {
    struct arguments arguments;
    const char *source; /* the file's name, for people */
    struct gather gather;
    bool header, short_of_memory;
    size_t x, y; /* columns, from 0 */
    size_t columns;
    char names[CSV_COLUMNS][NAME_BYTES]; /* as the header has them, or "column 3" */
    struct kinds kinds[CSV_COLUMNS];
    uint64_t rows;    /* with numbers in x and y */
    uint64_t others;  /* rows that --where leaves out */
    uint64_t without; /* rows without x */
    uint64_t empty;   /* rows with x and without y */
};

/* ---- Arguments --------------------------------------------------------------------------------- */

static int complain(const char *what, const char *about)
{
    fprintf(stderr, "fathom: knee: %s: %s\nTry 'fathom help'.\n", about, what);
    return USAGE;
}

/* Returns 0, or the exit status after having complained. */
static int parse(struct arguments *a, int count, char **words)
{
    for (int i = 0; i < count; i++) {
        const char *word = words[i], *value = i + 1 < count ? words[i + 1] : NULL;

        if (!strcmp(word, "--json")) {
            a->json = true;
            continue;
        }
        if (word[0] != '-' || !word[1]) {
            if (a->file)
                return complain("one file at a time; --json writes to standard output and takes no name", word);
            a->file = word;
            continue;
        }
        if (!value)
            return complain("the option lacks its value, or is unknown", word);
        i++;
        if (!strcmp(word, "--x")) {
            a->x = value;
        } else if (!strcmp(word, "--y")) {
            a->y = value;
        } else if (!strcmp(word, "--kind")) {
            size_t kind = 0;
            while (kind <= KNEE_STAIRS && strcmp(value, knee_kind_names[kind]) != 0)
                kind++;
            if (kind > KNEE_STAIRS)
                return complain("--kind is step, window, slope or stairs", value);
            a->kind = (enum knee_kind)kind;
        } else if (!strcmp(word, "--where")) {
            const char *equals = strchr(value, '=');
            if (!equals || equals == value || (size_t)(equals - value) >= NAME_BYTES)
                return complain("--where wants COLUMN=VALUE", value);
            if (a->where_count == CONDITIONS)
                return complain("too many --where", value);
            struct condition *c = &a->where[a->where_count++];
            snprintf(c->column, sizeof c->column, "%.*s", (int)(equals - value), value);
            c->value = equals + 1;
        } else {
            return complain("unknown option", word);
        }
    }
    return a->file ? 0 : complain("which file? - is standard input", "FILE.csv");
}

/* ---- Columns ----------------------------------------------------------------------------------- */

/* Text of a file as it can be shown on any terminal. */
static void show(char *out, size_t room, const char *text)
{
    size_t used = 0;

    for (; *text && used + 1 < room; text++)
        out[used++] = *text;
    for (; used > 0 && ((unsigned char)out[used - 1] & 0xc0) == 0x80 && ((unsigned char)*text & 0xc0) == 0x80; used--)
        ; /* no part of a character that did not fit */
    out[used] = 0;
    for (char *at = out; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = '?';
}

static bool is_number_of_column(const char *choice)
{
    return *choice && !choice[strspn(choice, "0123456789")];
}

/* Finds a column by its number or by its name in this row, which is the first. False with the csv's error. */
static bool find_column(struct csv *c, const char *option, const char *choice, size_t *column)
{
    if (is_number_of_column(choice)) {
        unsigned long number = strtoul(choice, NULL, 10);
        *column = number - 1;
        if (number >= 1 && number <= c->columns)
            return true;
        snprintf(c->error, sizeof c->error, "%s asks for column %s, but there are %zu", option, choice, c->columns);
        return false;
    }
    for (size_t i = 0; i < c->count; i++) {
        if (!strcmp(c->field[i], choice)) {
            *column = i;
            return true;
        }
    }
    size_t used = (size_t)snprintf(
        c->error, sizeof c->error,
        "no column is named '%.48s'; columns can be chosen by number, and this row has: ", choice);
    for (size_t i = 0; i < c->count && used + 32 < sizeof c->error; i++) {
        char name[24];
        show(name, sizeof name, c->field[i]);
        used += (size_t)snprintf(c->error + used, sizeof c->error - used, "%s%s", i ? ", " : "", name);
    }
    return false;
}

/* The first of these names that the row has, or `otherwise`. */
static size_t usual_column(const struct csv *c, const char *const *names, size_t otherwise)
{
    for (; *names; names++)
        for (size_t i = 0; i < c->count; i++)
            if (!strcmp(c->field[i], *names))
                return i;
    return otherwise;
}

/* Chooses the columns by what was asked for and by the first row, and tells whether that is a header. */
static bool choose_columns(struct table *t, struct csv *c)
{
    static const char *const usual_x[] = {"x", "size", NULL}, *const usual_y[] = {"y", "median", "min", NULL};
    struct arguments *a = &t->arguments;
    bool named = false;
    double number;

    t->columns = c->columns;
    t->x = usual_column(c, usual_x, 0);
    if (a->x && !find_column(c, "--x", a->x, &t->x))
        return false;
    t->y = usual_column(c, usual_y, t->x + 1 < c->columns ? t->x + 1 : 0);
    if (a->y && !find_column(c, "--y", a->y, &t->y))
        return false;
    if (!a->x && a->y && t->x == t->y)
        t->x = t->y ? 0 : 1;
    if (t->x == t->y || t->x >= c->columns) {
        snprintf(c->error, sizeof c->error,
                 "x and y must be two different columns, and there %s %zu here; see --x, --y",
                 c->columns == 1 ? "is" : "are", c->columns);
        return false;
    }
    for (size_t i = 0; i < a->where_count; i++) {
        if (!find_column(c, "--where", a->where[i].column, &a->where[i].index))
            return false;
        named |= !is_number_of_column(a->where[i].column);
    }
    named |= (a->x && !is_number_of_column(a->x)) || (a->y && !is_number_of_column(a->y));
    t->header = named || csv_value(c->field[t->x], &number) == CSV_TEXT ||
                csv_value(c->field[t->y], &number) == CSV_TEXT;
    for (size_t i = 0; i < c->columns; i++) {
        if (t->header && c->field[i][0])
            show(t->names[i], NAME_BYTES, c->field[i]);
        else
            snprintf(t->names[i], NAME_BYTES, "column %zu", i + 1);
    }
    return true;
}

/* ---- Rows -------------------------------------------------------------------------------------- */

static void note_kind(struct kinds *k, const char *text)
{
    if (k->count > KINDS_SHOWN)
        return;
    for (size_t i = 0; i < k->count; i++)
        if (!strcmp(k->text[i], text))
            return;
    if (k->count == KINDS_SHOWN || strlen(text) >= KIND_BYTES)
        k->count = KINDS_SHOWN + 1;
    else
        strcpy(k->text[k->count++], text);
}

/* Equal as numbers where both are numbers, as text otherwise. */
static bool matches(const char *field, const char *value)
{
    double a, b;

    if (csv_value(field, &a) == CSV_NUMBER && csv_value(value, &b) == CSV_NUMBER)
        return !(a < b) && !(a > b);
    return !strcmp(field, value);
}

static bool take_number(const struct table *t, struct csv *c, size_t column, double *number)
{
    char text[32];

    if (column >= c->count) {
        snprintf(c->error, sizeof c->error, "this row has %zu column%s, and '%s' is column %zu; was the file cut off?",
                 c->count, c->count == 1 ? "" : "s", t->names[column], column + 1);
        return false;
    }
    if (csv_value(c->field[column], number) != CSV_TEXT)
        return true;
    show(text, sizeof text, c->field[column]);
    snprintf(c->error, sizeof c->error, "column %zu (%s): '%s' is no number; %s", column + 1, t->names[column], text,
             strchr(text, ',') ? "decimals need a point, not a comma" : "write nan where nothing was measured");
    return false;
}

static bool is_header(const struct table *t, const struct csv *c)
{
    return t->x < c->count && t->y < c->count && !strcmp(c->field[t->x], t->names[t->x]) &&
           !strcmp(c->field[t->y], t->names[t->y]);
}

static bool take_row(void *context, struct csv *c)
{
    struct table *t = context;
    const struct arguments *a = &t->arguments;
    bool matching = true;
    double x, y;

    if (t->columns == 0) {
        if (!choose_columns(t, c))
            return false;
        if (t->header)
            return true;
    }
    if (t->header && is_header(t, c)) /* of another file that was put behind */
        return true;
    for (size_t i = 0; i < a->where_count; i++) {
        const struct condition *w = &a->where[i];
        const char *field = w->index < c->count ? c->field[w->index] : "";
        note_kind(&t->kinds[w->index], field);
        matching = matching && matches(field, w->value);
    }
    if (!matching) {
        t->others++;
        return true;
    }
    if (!take_number(t, c, t->x, &x) || !take_number(t, c, t->y, &y))
        return false;
    for (size_t i = 0; i < c->count; i++)
        if (i != t->x && i != t->y)
            note_kind(&t->kinds[i], c->field[i]);
    if (isnan(x)) {
        t->without++;
        return true;
    }
    t->rows += isnan(y) == 0;
    t->empty += isnan(y) != 0;
    if (!gather_add(&t->gather, x, y)) {
        t->short_of_memory = true;
        snprintf(c->error, sizeof c->error, "memory is short");
        return false;
    }
    return true;
}

/* Reads the whole file. Returns 0, or the exit status after having complained. */
static int read_table(struct table *t, struct csv *c)
{
    static char bytes[READ_BYTES];
    bool standard = !strcmp(t->arguments.file, "-"), going = true;
    int fd = standard ? STDIN_FILENO : open(t->arguments.file, O_RDONLY | O_CLOEXEC);
    ssize_t count = 0;
    int problem = fd < 0 ? errno : 0;

    csv_start(c, take_row, t);
    while (fd >= 0 && going && ((count = read(fd, bytes, sizeof bytes)) > 0 || (count < 0 && errno == EINTR)))
        going = count < 0 || csv_feed(c, bytes, (size_t)count);
    if (fd >= 0 && count < 0)
        problem = errno;
    if (fd >= 0 && !standard)
        close(fd);
    if (problem) {
        fprintf(stderr, "fathom: %s: %s\n", t->source, strerror(problem));
        return UNUSABLE;
    }
    if (!going || !csv_end(c)) {
        fprintf(stderr, "fathom: %s:%llu: %s\n", t->source, (unsigned long long)c->line, c->error);
        return UNUSABLE;
    }
    if (!gather_end(&t->gather)) {
        fprintf(stderr, "fathom: %s: memory is short\n", t->source);
        return UNUSABLE;
    }
    return 0;
}

/* "0, 1, 2", cut where it gets long. */
static void list_kinds(char *out, size_t room, const struct kinds *k)
{
    size_t used = 0;

    out[0] = 0;
    for (size_t i = 0; i < k->count && i < KINDS_SHOWN && used < room; i++) {
        char text[KIND_BYTES];
        show(text, sizeof text, k->text[i]);
        used += (size_t)snprintf(out + used, room - used, "%s%s", i ? ", " : "", *text ? text : "nothing");
    }
    if (k->count > KINDS_SHOWN && used < room)
        snprintf(out + used, room - used, ", and more");
}

/* No row could be used: why not? */
static int complain_of_nothing(const struct table *t)
{
    char kinds[200] = "";

    fprintf(stderr, "fathom: %s: ", t->source);
    if (t->others && !t->without) {
        fprintf(stderr, "no row fits --where");
        for (size_t i = 0; i < t->arguments.where_count; i++) {
            const struct condition *w = &t->arguments.where[i];
            list_kinds(kinds, sizeof kinds, &t->kinds[w->index]);
            fprintf(stderr, "; %s is %s", t->names[w->index], kinds);
        }
        fprintf(stderr, "\n");
    } else if (t->without) {
        fprintf(stderr, "no row has a number in '%s'; choose another column with --x\n", t->names[t->x]);
    } else {
        fprintf(stderr, "no rows of numbers; what is wanted are lines of x and y\n");
    }
    return UNUSABLE;
}

/* ---- What is said ------------------------------------------------------------------------------ */

/* What a reader must know before believing the verdict. Writes the next note, from *at on; false when there is none. */
static bool next_note(const struct table *t, size_t *at, char *out, size_t room)
{
    char kinds[200];

    for (; *at < t->columns; ++*at) {
        const struct kinds *k = &t->kinds[*at];
        if (t->rows + t->empty > t->gather.count && k->count >= 2 && k->count <= KINDS_SHOWN) {
            list_kinds(kinds, sizeof kinds, k);
            bool chosen = false;
            for (size_t i = 0; i < t->arguments.where_count; i++)
                chosen |= t->arguments.where[i].index == *at;
            if (chosen)
                continue;
            snprintf(out, room,
                     "'%s' is %s: rows that differ in it were taken as repetitions of the same; --where takes some",
                     t->names[*at], kinds);
            ++*at;
            return true;
        }
    }
    if (*at == t->columns) {
        ++*at;
        if (t->gather.width > 0) {
            snprintf(out, room, "too many different x: those within %.2g %% of each other were merged to %zu points",
                     100 * t->gather.width, t->gather.count);
            return true;
        }
    }
    return false;
}

/* What a probe with this one experiment would report of the knee. */
static struct find_result decided(const struct table *t, const struct verdict *v, size_t knee)
{
    const struct find_experiment e = {.name = t->names[t->y], .fooled_by = "", .verdict = v, .knee = knee};
    struct find_result r = find_decide(&e, 1, 0);

    if (t->arguments.kind == KNEE_STAIRS && t->gather.width > 0) /* merged points have no stairs */
        r = (struct find_result){.value = NAN, .low = NAN, .high = NAN, .grade = 'U', .reason = "too-many-x"};
    return r;
}

static const char *shape_of(const struct table *t, const struct knee *k)
{
    if (t->arguments.kind == KNEE_SLOPE)
        return "bend";
    if (t->arguments.kind == KNEE_STAIRS)
        return "stairs";
    return k->ramp ? "ramp" : k->fuzzy ? "fuzzy" : "step";
}

static void say_knee(const struct table *t, const struct verdict *v, size_t index)
{
    const struct find_result r = decided(t, v, index);
    const char *axis = t->names[t->x];

    printf("%s: ", t->arguments.kind == KNEE_STAIRS ? "width of a stair" : "knee");
    if (r.grade == 'U')
        printf("undecided  grade U  %s\n", r.reason);
    else
        printf("%s = %.10g  in [%.10g, %.10g)  grade %c\n", axis, r.value, r.low, r.high, r.grade);
    if (index >= v->count)
        return;
    const struct knee *k = &v->knees[index];
    printf("    %s, %s goes from %.6g to %.6g; ", shape_of(t, k), t->names[t->y], k->before, k->after);
    if (k->ramp)
        printf("rises until %.10g, half way at %.10g in [%.10g, %.10g); ", k->end, k->half, k->half_low, k->half_high);
    if (k->fuzzy)
        printf("good and bad points mix there; ");
    printf("the second view %s\n", k->agreed ? "agrees" : "does not find it there");
}

static void say(const struct table *t, const struct knee_point *points, const struct verdict *v)
{
    char note[320];
    double marks[KNEES_MAXIMUM];

    printf("%s: %llu rows, x is %s, y is %s", t->source, (unsigned long long)t->rows, t->names[t->x], t->names[t->y]);
    for (size_t i = 0; i < t->arguments.where_count; i++)
        printf(", %s is %s", t->names[t->arguments.where[i].index], t->arguments.where[i].value);
    printf("\n%zu %s x from %.10g to %.10g\n", t->gather.count, t->gather.width > 0 ? "merged" : "different",
           t->gather.bins[0].from, t->gather.bins[t->gather.count - 1].to);
    if (t->others)
        printf("left out by --where: %llu\n", (unsigned long long)t->others);
    if (t->without)
        printf("left out without a number in %s: %llu\n", t->names[t->x], (unsigned long long)t->without);
    if (t->empty)
        printf("left out without a number in %s: %llu\n", t->names[t->y], (unsigned long long)t->empty);
    if (t->gather.ascending || t->gather.descending)
        printf("each %s was visited once, in order: what changed with time meanwhile looks the same\n", t->names[t->x]);
    for (size_t at = 0; next_note(t, &at, note, sizeof note);)
        printf("note: %s\n", note);

    for (size_t i = 0; i < v->count; i++)
        marks[i] = v->knees[i].value;
    printf("\n");
    plot_print(stdout, points, t->gather.count, marks, t->arguments.kind == KNEE_STAIRS ? 0 : v->count);
    printf("\n");

    for (size_t i = 0; i < v->level_count; i++) {
        const struct knee_level *l = &v->levels[i];
        printf("level: %s %.10g to %.10g: %s is %.6g, give or take %.2g %%", t->names[t->x], l->from, l->to,
               t->names[t->y], l->height, 100 * l->spread);
        if (l->slope > 0 || l->slope < 0)
            printf(", and %s by %.3g %%", l->slope > 0 ? "grows" : "falls", 100 * fabs(l->slope));
        printf("\n");
    }
    for (size_t i = 0; i == 0 || i < v->count; i++)
        say_knee(t, v, i);
    if (!v->monotone && (t->arguments.kind == KNEE_STEP || t->arguments.kind == KNEE_WINDOW))
        printf("%s also falls as %s grows, by more than noise\n", t->names[t->y], t->names[t->x]);
}

/* ---- Records ----------------------------------------------------------------------------------- */

static bool print_line(void *context, const char *bytes, size_t count)
{
    return fwrite(bytes, 1, count, context) == count;
}

/* One finding; where there is no such knee, why not. */
static void record_knee(struct writer *w, const struct table *t, const struct verdict *v, size_t index)
{
    const struct arguments *a = &t->arguments;
    const struct find_result f = decided(t, v, index);
    struct record r;

    record_start(&r, w, "finding");
    record_text(&r, "name", "knee");
    record_text(&r, "kind", knee_kind_names[a->kind]);
    record_text(&r, "axis", t->names[t->x]);
    record_text(&r, "of", t->names[t->y]);
    for (size_t i = 0; i < a->where_count; i++) {
        char key[NAME_BYTES + 8];
        snprintf(key, sizeof key, "where %s", t->names[a->where[i].index]);
        record_text(&r, key, a->where[i].value);
    }
    record_number(&r, "value", f.value);
    record_text(&r, "unit", "");
    record_number(&r, "low", f.low);
    record_number(&r, "high", f.high);
    record_text(&r, "grade", (const char[]){f.grade, 0});
    if (f.grade == 'U')
        record_text(&r, "reason", f.reason);
    record_text(&r, "method", "piecewise-linear segmentation, and a second view");
    record_array(&r, "curves");
    record_text(&r, NULL, t->source);
    record_close(&r);
    if (index < v->count) {
        const struct knee *k = &v->knees[index];
        record_text(&r, "shape", shape_of(t, k));
        record_boolean(&r, "agreed", k->agreed);
        record_number(&r, "before", k->before);
        record_number(&r, "after", k->after);
        if (k->ramp) {
            record_number(&r, "end", k->end);
            record_number(&r, "half", k->half);
            record_number(&r, "half_low", k->half_low);
            record_number(&r, "half_high", k->half_high);
        }
    }
    record_integer(&r, "points", t->gather.count);
    record_number(&r, "sigma", v->sigma);
    record_send(&r);
}

static void record_verdict(const struct table *t, const struct verdict *v)
{
    struct writer w;
    char note[320];

    writer_start(&w);
    writer_add(&w, (struct sink){.name = "standard output", .context = stdout, .write = print_line});
    for (size_t at = 0; next_note(t, &at, note, sizeof note);)
        record_warning(&w, t->source, note);
    for (size_t i = 0; i == 0 || i < v->count; i++)
        record_knee(&w, t, v, i);
    writer_stop(&w);
}

/* ---- The command ------------------------------------------------------------------------------- */

int command_knee(int count, char **words)
{
    static struct table t;
    static struct csv csv;
    struct knee_point *points = NULL;
    struct knee_passes passes = {0};
    struct verdict v = {0};

    int status = parse(&t.arguments, count, words);
    if (status)
        return status;
    t.source = strcmp(t.arguments.file, "-") != 0 ? t.arguments.file : "standard input";
    gather_start(&t.gather);
    status = read_table(&t, &csv);
    if (!status && t.gather.count == 0)
        status = complain_of_nothing(&t);
    if (!status && (!gather_points(&t.gather, &points) || !gather_passes(&t.gather, &passes) ||
                    !knee_decide_passes(t.arguments.kind, points, t.gather.count, 0, &passes, &v))) {
        fprintf(stderr, "fathom: memory is short\n");
        status = UNUSABLE;
    }
    if (!status) {
        if (t.arguments.kind != KNEE_STAIRS)
            gather_widen(&t.gather, &v);
        if (t.arguments.json)
            record_verdict(&t, &v);
        else
            say(&t, points, &v);
        status = UNDECIDED;
        for (size_t i = 0; i < v.count; i++)
            if (decided(&t, &v, i).grade != 'U')
                status = DECIDED;
        if (fflush(stdout) != 0) {
            fprintf(stderr, "fathom: standard output: %s\n", strerror(errno));
            status = UNUSABLE;
        }
    }
    free(points);
    free(passes.y);
    gather_free(&t.gather);
    return status;
}
