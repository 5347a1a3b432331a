#include "boot/linux/knee_table.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ_BYTES = 262144 }; /* at once: large files are read in few system calls */

/* ---- Columns ----------------------------------------------------------------------------------- */

/*
 * Copies text of the file for a message: without control characters, and cut between characters where it does not
 * fit.
 */
static void show(char *out, size_t room, const char *text)
{
    size_t used = 0;

    for (; *text && used + 1 < room; text++)
        out[used++] = *text;
    for (; used > 0 && ((unsigned char)out[used - 1] & 0xc0) == 0x80 && ((unsigned char)*text & 0xc0) == 0x80; used--)
        ; /* remove the beginning of a character whose rest did not fit */
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
        snprintf(c->error, sizeof c->error, "%s names column %s, but there are only %zu", option, choice, c->columns);
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

/* Chooses the columns by the options and the first row, and determines whether that row is a header. */
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
                 "x and y must be two different columns, and this file has %s %zu; see --x and --y",
                 c->columns == 1 ? "only" : "these", c->columns);
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
    snprintf(c->error, sizeof c->error, "column %zu (%s): '%s' is not a number; %s", column + 1, t->names[column], text,
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
    if (t->header && is_header(t, c)) /* several files were joined */
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
        snprintf(c->error, sizeof c->error, "there is not enough memory");
        return false;
    }
    return true;
}

bool table_read(struct table *t, struct csv *c)
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
        return false;
    }
    if (!going || !csv_end(c)) {
        fprintf(stderr, "fathom: %s:%llu: %s\n", t->source, (unsigned long long)c->line, c->error);
        return false;
    }
    if (!gather_end(&t->gather)) {
        fprintf(stderr, "fathom: %s: there is not enough memory\n", t->source);
        return false;
    }
    return true;
}

void table_list_kinds(char *out, size_t room, const struct kinds *k)
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

void table_explain_empty(const struct table *t)
{
    char kinds[200] = "";

    fprintf(stderr, "fathom: %s: ", t->source);
    if (t->others && !t->without) {
        fprintf(stderr, "no row matches --where");
        for (size_t i = 0; i < t->arguments.where_count; i++) {
            const struct condition *w = &t->arguments.where[i];
            table_list_kinds(kinds, sizeof kinds, &t->kinds[w->index]);
            fprintf(stderr, "; %s is %s", t->names[w->index], kinds);
        }
        fprintf(stderr, "\n");
    } else if (t->without) {
        fprintf(stderr, "no row has a number in '%s'; choose another column with --x\n", t->names[t->x]);
    } else {
        fprintf(stderr, "there are no rows of numbers; each line must hold an x and a y\n");
    }
}
