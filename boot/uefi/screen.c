/*
 * The framebuffer, from top to bottom:
 *
 *     the core, the profile and the time
 *     the progress of the run, as a bar, and what is being measured
 *     the curve measured last, with its knees marked
 *     findings as they are decided, with published values
 *     what keys do
 *
 * and after the run one page of results, which stays. All of it consists of characters in cells, drawn by the
 * firmware's Blt (12.9) in the mode that the firmware has set: the mode is not changed, nothing is read back and
 * nothing scrolls. Framebuffers can be slow, so only cells that have changed are drawn, and drawing takes
 * DRAWING_SHARE of the time at most.
 */
#include "boot/uefi/screen.h"

#include <efi.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/uefi/console.h"
#include "boot/uefi/firmware.h"
#include "boot/uefi/font.h"
#include "lib/base/lines.h"
#include "lib/base/qr.h"
#include "lib/machine.h"
#include "lib/observer/page.h"
#include "lib/observer/plot.h"
#include "lib/plan/config.h"
#include "lib/probe/progress.h"
#include "lib/run/run.h"

enum {
    COLUMNS = 240, /* at most: 1920 dots of the small font; the rest of a larger screen stays black */
    ROWS = 100,
    COLUMNS_WANTED = 96, /* characters are made as large as possible with this many, the longest lines of findings */
    ROWS_WANTED = 30,
    COLUMNS_AT_LEAST = 60, /* with fewer, lines of findings would be cut, and the firmware's own console is used */
    ROWS_AT_LEAST = 18,    /* the least that head, plot and some findings need */
    HEAD_ROWS = 3,
    LEAST_CODE_DOTS = 2, /* of a module of a QR code: a telephone does not read finer ones */
    LABEL_COLUMNS = 10,  /* left of the plot: a number of four digits with its unit */
    PLOT_CELL = 1, /* the character of cells that show a part of the plot; their style is the number of the plot */
};
static const double DRAWING_SHARE = 0.03; /* of the time at most: a run may take that much longer for its screen */

typedef EFI_GRAPHICS_OUTPUT_BLT_PIXEL pixel;
/*
 * Colours of characters and background. The background is dark, so that the screen can be photographed without glare.
 */
static const struct {
    pixel ink, paper; /* blue, green, red, 0 */
} colours[CELL_STYLES] = {
    [CELL_TEXT] = {{0xd0, 0xd0, 0xd0, 0}, {0x10, 0x08, 0x08, 0}},
    [CELL_STRONG] = {{0xff, 0xff, 0xff, 0}, {0x10, 0x08, 0x08, 0}},
    [CELL_DIM] = {{0x90, 0x88, 0x80, 0}, {0x10, 0x08, 0x08, 0}},
    [CELL_BAR] = {{0xff, 0xff, 0xff, 0}, {0x80, 0x40, 0x18, 0}},
    [CELL_GOOD] = {{0x70, 0xe0, 0x70, 0}, {0x10, 0x08, 0x08, 0}},
    [CELL_BAD] = {{0x40, 0xb0, 0xff, 0}, {0x10, 0x08, 0x08, 0}},
};
static const pixel curve_ink = {0xff, 0xd0, 0x60, 0}, knee_ink = {0x40, 0x80, 0xc0, 0},
                   axis_ink = {0x60, 0x58, 0x50, 0};

static const struct run *run;
static struct page page;
static bool finished;                  /* the page of results is shown */
static const struct lines *photograph; /* the bring-up page that is shown; NULL: none is */

static struct {
    EFI_GRAPHICS_OUTPUT_PROTOCOL *gop; /* NULL: there is none, or it failed */
    const struct font *font;
    unsigned times; /* each dot of the font is drawn with this many dots in both directions */
    unsigned cell_width, cell_height, left, top;
    pixel *pixels;       /* a row of cells */
    struct cells wanted; /* what the screen should show */
    double next_drawing; /* nothing is drawn before then */
    struct cell *shown;
} screen;

/* The last lines of text, as many as the screen has rows, as a ring. */
static struct text_line {
    struct cell *cells;
    unsigned used;
} lines[ROWS];
static unsigned line_count = 1; /* since the start; the last one is being written */
static char progress[160], keys[120];

/* The curve measured last. */
static struct {
    struct plot axes;
    char title[160];
    char labels[4][16]; /* top, bottom, left, right */
    struct plot_span *spans;
    bool *knees;
    unsigned number; /* changes with every plot, so that its cells are drawn again; 0: there is none yet */
    unsigned columns, rows, dots_across, dots_up;
} plot;

/* ---- Dots ------------------------------------------------------------------------------------------- */

static pixel plot_dot(unsigned x, unsigned y)
{
    const unsigned up = plot.dots_up - 1 - y, thick = screen.cell_height / 16;

    for (unsigned i = 0; i <= thick && i <= x; i++)
        if (plot.spans[x - i].from <= plot.spans[x - i].to && up + thick >= plot.spans[x - i].from &&
            up <= plot.spans[x - i].to + thick / 2)
            return curve_ink;
    if (plot.knees[x])
        return knee_ink;
    return x < thick || up < thick ? axis_ink : colours[CELL_TEXT].paper;
}

/* Draws a character into a picture of that width; `to` is where its first dot belongs. */
static void put_character(const struct cell *c, pixel *to, unsigned width)
{
    const struct font *font = screen.font;
    const unsigned style = c->style < CELL_STYLES ? c->style : CELL_TEXT, bytes = font->width / 8;
    const unsigned character = c->character < FONT_FIRST || c->character > FONT_LAST ? ' ' : c->character;
    const uint8_t *dots = font->rows + (character - FONT_FIRST) * font->height * bytes;

    for (unsigned y = 0; y < font->height; y++) {
        pixel *line = to + (size_t)y * screen.times * width;
        for (unsigned x = 0; x < font->width; x++) {
            const bool ink = dots[y * bytes + x / 8] >> (7 - x % 8) & 1;
            for (unsigned i = 0; i < screen.times; i++)
                line[x * screen.times + i] = ink ? colours[style].ink : colours[style].paper;
        }
        for (unsigned i = 1; i < screen.times; i++)
            memcpy(line + (size_t)i * width, line, screen.cell_width * sizeof *line);
    }
}

static void put_plot(unsigned column, unsigned row, pixel *to, unsigned width)
{
    for (unsigned y = 0; y < screen.cell_height; y++)
        for (unsigned x = 0; x < screen.cell_width; x++)
            to[(size_t)y * width + x] = plot_dot(column * screen.cell_width + x, row * screen.cell_height + y);
}

static unsigned plot_top(void)
{
    return HEAD_ROWS + 1;
}

/* Draws the cells of one row from column `from` to the one before `to`. False when the firmware fails. */
static bool draw_cells(unsigned row, unsigned from, unsigned to)
{
    const struct cell *cells = &screen.wanted.at[(size_t)row * screen.wanted.columns];
    const unsigned width = (to - from) * screen.cell_width;

    for (unsigned column = from; column < to; column++) {
        pixel *at = screen.pixels + (column - from) * screen.cell_width;
        if (cells[column].character == PLOT_CELL)
            put_plot(column - LABEL_COLUMNS, row - plot_top(), at, width);
        else
            put_character(&cells[column], at, width);
    }
    return !EFI_ERROR(screen.gop->Blt(screen.gop, screen.pixels, EfiBltBufferToVideo, 0, 0,
                                      screen.left + from * screen.cell_width, screen.top + row * screen.cell_height,
                                      width, screen.cell_height, width * sizeof(pixel)));
}

/* Draws all cells that have changed. */
static void draw(void)
{
    const unsigned columns = screen.wanted.columns;

    for (unsigned row = 0; row < screen.wanted.rows && screen.gop; row++) {
        const struct cell *wanted = &screen.wanted.at[(size_t)row * columns];
        struct cell *shown = &screen.shown[(size_t)row * columns];
        unsigned from = 0, to = columns;

        while (from < columns && !memcmp(&wanted[from], &shown[from], sizeof *shown))
            from++;
        while (to > from && !memcmp(&wanted[to - 1], &shown[to - 1], sizeof *shown))
            to--;
        if (from < to && !draw_cells(row, from, to)) {
            screen.gop = NULL; /* the console takes over */
            console_all();
        }
        memcpy(shown, wanted, columns * sizeof *shown);
    }
}

/* ---- What the screen should show ----------------------------------------------------------------------- */

static void compose_head(struct cells *c)
{
    const struct machine_info *info = machine_info();
    char text[256], type[16] = "", left[32] = "";
    const double seconds = machine_seconds();

    cells_clear(c, 0, 0, CELL_BAR);
    if (info->core_type[0])
        snprintf(type, sizeof type, " (type %s)", info->core_type);
    snprintf(text, sizeof text, " fathom  %s%s%s, core %u%s, profile %s", info->core_model,
             info->core_name[0] ? ", " : "", info->core_name, info->core, type, config_profile_name(&run->config));
    cells_put(c, 0, 0, c->columns - 8, CELL_BAR, text);
    snprintf(text, sizeof text, "%4u:%02u", (unsigned)seconds / 60, (unsigned)seconds % 60);
    cells_put(c, 0, c->columns - 8, 8, CELL_BAR, text);

    cells_clear(c, 1, 0, CELL_DIM);
    cells_clear(c, 2, 0, CELL_TEXT);
    cells_put(c, 2, 1, c->columns - 1, CELL_TEXT, progress);
    if (!run->progress.planned)
        return;
    const unsigned done = run->progress.begun ? run->progress.begun - 1 : 0;
    const double left_seconds = progress_seconds_left(&run->progress);
    if (!isnan(left_seconds))
        snprintf(left, sizeof left, ", about %u:%02u left", (unsigned)left_seconds / 60, (unsigned)left_seconds % 60);
    snprintf(text, sizeof text, " %u of %u probes%s ", done, run->progress.planned, left);
    unsigned at = cells_put(c, 1, 0, c->columns / 2, CELL_STRONG, text);
    const unsigned width = c->columns - at - 1, filled = width * done / run->progress.planned;
    for (unsigned i = 0; i < width; i++)
        cells_put(c, 1, at + i, 1, i < filled ? CELL_BAR : CELL_DIM, i < filled ? " " : ".");
}

/* Returns the first row below it. */
static unsigned compose_plot(struct cells *c)
{
    const unsigned top = plot_top();

    if (!plot.number)
        return HEAD_ROWS;
    for (unsigned row = HEAD_ROWS; row <= top + plot.rows + 1; row++)
        cells_clear(c, row, 0, CELL_DIM);
    cells_put(c, HEAD_ROWS, 1, c->columns - 1, CELL_STRONG, plot.title);
    for (unsigned row = top; row < top + plot.rows; row++)
        for (unsigned column = LABEL_COLUMNS; column < LABEL_COLUMNS + plot.columns; column++)
            c->at[(size_t)row * c->columns + column] = (struct cell){PLOT_CELL, (uint8_t)plot.number};
    const unsigned top_length = (unsigned)strlen(plot.labels[0]), bottom_length = (unsigned)strlen(plot.labels[1]);
    cells_put(c, top, LABEL_COLUMNS - 1 - top_length, top_length, CELL_DIM, plot.labels[0]);
    cells_put(c, top + plot.rows - 1, LABEL_COLUMNS - 1 - bottom_length, bottom_length, CELL_DIM, plot.labels[1]);
    cells_put(c, top + plot.rows, LABEL_COLUMNS, 16, CELL_DIM, plot.labels[2]);
    const unsigned right = (unsigned)strlen(plot.labels[3]);
    cells_put(c, top + plot.rows, LABEL_COLUMNS + plot.columns - right, right, CELL_DIM, plot.labels[3]);
    return top + plot.rows + 2;
}

static void compose_lines(struct cells *c, unsigned top, unsigned bottom)
{
    /* The last line is being written: while nothing stands there, the one before it is the last. */
    const unsigned end = line_count - (lines[(line_count - 1) % screen.wanted.rows].used == 0);
    const unsigned room = bottom - top, count = end < room ? end : room;

    for (unsigned i = 0; i < room; i++) {
        const unsigned row = top + i;
        cells_clear(c, row, 0, CELL_TEXT);
        if (i < count)
            memcpy(&c->at[(size_t)row * c->columns], lines[(end - count + i) % screen.wanted.rows].cells,
                   lines[(end - count + i) % screen.wanted.rows].used * sizeof(struct cell));
    }
}

static void compose_results(struct cells *c)
{
    const unsigned *outcomes = run->outcomes;
    char text[256];

    for (unsigned row = 1; row <= HEAD_ROWS; row++)
        cells_clear(c, row, 0, CELL_TEXT);
    snprintf(text, sizeof text, "%u findings; probes: %u ok, %u skipped, %u faults, %u timeouts.", run->findings,
             outcomes[OUTCOME_OK], outcomes[OUTCOME_SKIPPED], outcomes[OUTCOME_FAULT], outcomes[OUTCOME_TIMEOUT]);
    cells_put(c, 1, 1, c->columns - 1, CELL_STRONG, text);
    snprintf(text, sizeof text, "Records: %s.", run->destination[0] ? run->destination : "none could be written");
    cells_put(c, 2, 1, c->columns - 1, CELL_TEXT, text);
    if (!run->trusted)
        snprintf(text, sizeof text, "The times of this place cannot be trusted: %s.", run->untrusted_cause);
    else
        snprintf(text, sizeof text, "Value, grade (A is best, U is undecided), and in brackets the published value.");
    cells_put(c, 3, 1, c->columns - 1, run->trusted ? CELL_DIM : CELL_BAD, text);
    page_draw(&page, c, HEAD_ROWS + 1, c->rows - 1);
}

static void compose_photograph(struct cells *c)
{
    for (unsigned row = 0; row + 1 < c->rows; row++) {
        cells_clear(c, row, 0, CELL_TEXT);
        if (row < photograph->count)
            cells_put(c, row, 0, c->columns, CELL_STRONG, photograph->text[row]);
    }
}

/* Draws what has changed, at once or when DRAWING_SHARE allows it. */
static void refresh(bool at_once)
{
    struct cells *c = &screen.wanted;
    const double began = machine_seconds();

    if (!screen.gop || (!at_once && began < screen.next_drawing))
        return;
    if (photograph)
        compose_photograph(c);
    else
        compose_head(c);
    if (finished)
        compose_results(c);
    else if (!photograph)
        compose_lines(c, compose_plot(c), c->rows - 1);
    cells_clear(c, c->rows - 1, 0, CELL_BAR);
    cells_put(c, c->rows - 1, 1, c->columns - 1, CELL_BAR, keys);
    draw();
    const double now = machine_seconds();
    screen.next_drawing = now + (now - began) / DRAWING_SHARE;
}

/* ---- Text ----------------------------------------------------------------------------------------------- */

static void new_line(void)
{
    lines[line_count++ % screen.wanted.rows].used = 0;
}

void screen_text(const char *text, enum cell_style style)
{
    for (; screen.gop && *text; text++) {
        unsigned *used = &lines[(line_count - 1) % screen.wanted.rows].used;
        struct cell *cells = lines[(line_count - 1) % screen.wanted.rows].cells;

        if ((*text & 0xc0) == 0x80)
            continue;
        if (*text == '\n') {
            new_line();
            continue;
        }
        if (*used == screen.wanted.columns) { /* the line continues on the next one, indented */
            new_line();
            used = &lines[(line_count - 1) % screen.wanted.rows].used;
            cells = lines[(line_count - 1) % screen.wanted.rows].cells;
            for (; *used < 4; ++*used)
                cells[*used] = (struct cell){' ', CELL_TEXT};
        }
        cells[(*used)++] = (struct cell){(uint8_t)(*text >= ' ' && *text <= '~' ? *text : '?'), (uint8_t)style};
    }
    refresh(false);
}

void screen_progress(const char *text)
{
    const char *what = text && text[0] == '[' ? strstr(text, "] ")
                                              : NULL; /* the bar above shows the part in brackets */

    snprintf(progress, sizeof progress, "%s", what ? what + 2 : text ? text : "");
    refresh(false);
}

void screen_now(void)
{
    refresh(true);
}

void screen_keys(const char *text)
{
    snprintf(keys, sizeof keys, "%s", text);
    refresh(true);
}

void screen_results(void)
{
    finished = true;
    if (screen.gop)
        refresh(true);
    console_page(&page);
}

/* ---- What a run reports ------------------------------------------------------------------------------------ */

void screen_finding(const struct observed_finding *f)
{
    page_add(&page, f, machine_info()->core); /* when memory is short the page lacks it; the records have it */
}

/* A value as a label: 48 KiB rather than 49152 bytes. */
static void label(char out[16], const char *unit, double value)
{
    const char *last = strstr(unit, "bytes");
    const bool bytes = last && !strcmp(last, "bytes"); /* and not bytes per cycle */

    if (bytes && value >= 1048576)
        snprintf(out, 16, "%.4g MiB", value / 1048576);
    else if (bytes && value >= 1024)
        snprintf(out, 16, "%.4g KiB", value / 1024);
    else
        snprintf(out, 16, "%.4g", value);
}

void screen_curve(const struct observed_curve *c)
{
    char text[16];

    if (!screen.gop)
        return;
    plot.axes = plot_axes(c->points, c->count);
    if (plot.axes.empty)
        return;
    plot.number = plot.number % 255 + 1;
    plot_columns(&plot.axes, c->points, c->count, plot.dots_across, plot.dots_up, plot.spans);
    int used = snprintf(plot.title, sizeof plot.title, "%s: %s, %s over %s", c->probe, c->name, c->unit, c->axis);
    memset(plot.knees, 0, plot.dots_across * sizeof *plot.knees);
    for (size_t i = 0; i < c->knee_count && used > 0 && (size_t)used < sizeof plot.title; i++) {
        plot.knees[plot_place(&plot.axes.x, c->knees[i], plot.dots_across)] = true;
        label(text, c->axis, c->knees[i]);
        used += snprintf(plot.title + used, sizeof plot.title - (size_t)used, "%s%s", i ? ", " : "; knee at ", text);
    }
    label(plot.labels[0], "", plot.axes.y.to);
    label(plot.labels[1], "", plot.axes.y.from);
    label(plot.labels[2], c->axis, plot.axes.x.from);
    label(plot.labels[3], c->axis, plot.axes.x.to);
    refresh(false);
}

/* ---- The bring-up page ------------------------------------------------------------------------------------- */

static struct qr code;
static bool code_left_over; /* there is no room for it beside the lines */

/* Draws the code with its quiet zone, `dots` of the screen for each module in both directions; black on white. */
static void draw_code(const struct qr *q, unsigned left, unsigned top, unsigned dots)
{
    const unsigned all = (q->size + 2 * QR_QUIET) * dots;
    pixel white = {0xff, 0xff, 0xff, 0}, black = {0, 0, 0, 0};

    if (EFI_ERROR(screen.gop->Blt(screen.gop, &white, EfiBltVideoFill, 0, 0, left, top, all, all, 0)))
        return;
    for (unsigned y = 0; y < q->size; y++)
        for (unsigned x = 0, dark; x < q->size; x += dark) {
            for (dark = 1; x + dark < q->size && !((q->module[y][x] ^ q->module[y][x + dark]) & QR_DARK); dark++)
                ;
            if (q->module[y][x] & QR_DARK)
                screen.gop->Blt(screen.gop, &black, EfiBltVideoFill, 0, 0, left + (QR_QUIET + x) * dots,
                                top + (QR_QUIET + y) * dots, dark * dots, dots, 0);
        }
}

/* Where the code is larger: beside the lines, or below them. False where there is no room. */
static bool place_code(const struct qr *q)
{
    const unsigned width = screen.gop->Mode->Info->HorizontalResolution,
                   height = screen.gop->Mode->Info->VerticalResolution, all = q->size + 2 * QR_QUIET;
    const unsigned right = screen.left + (LINE_COLUMNS + 1) * screen.cell_width,
                   bottom = screen.top + (unsigned)(photograph->count + 1) * screen.cell_height;
    const unsigned beside = right < width ? (width - right < height ? width - right : height) / all : 0,
                   room_below = bottom + screen.cell_height < height ? height - bottom - screen.cell_height : 0,
                   below = (room_below < width ? room_below : width) / all;

    if (beside >= below && beside >= LEAST_CODE_DOTS)
        draw_code(q, right, screen.top, beside);
    else if (below >= LEAST_CODE_DOTS)
        draw_code(q, screen.left, bottom, below);
    return beside >= LEAST_CODE_DOTS || below >= LEAST_CODE_DOTS;
}

bool screen_lines(const struct lines *lines_shown)
{
    char text[LINES_MAXIMUM * (LINE_COLUMNS + 1) + 1];
    size_t used = 0;

    if (!screen.gop)
        return false;
    photograph = lines_shown;
    if (!photograph) /* the code was drawn over cells */
        memset(screen.shown, 0xff, (size_t)screen.wanted.rows * screen.wanted.columns * sizeof *screen.shown);
    refresh(true);
    for (size_t i = 0; photograph && i < photograph->count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s\n", photograph->text[i]);
    code_left_over = photograph && screen.gop && qr_encode(&code, text, used) && !place_code(&code);
    return true;
}

bool screen_code(void)
{
    if (!code_left_over || !screen.gop)
        return false;
    const unsigned width = screen.gop->Mode->Info->HorizontalResolution,
                   height = screen.gop->Mode->Info->VerticalResolution -
                            screen.cell_height; /* the last line is the keys' */
    const unsigned dots = (width < height ? width : height) / (code.size + 2 * QR_QUIET);
    draw_code(&code, 0, 0, dots);
    return dots > 0;
}

/* ---- Start ---------------------------------------------------------------------------------------------------- */

/*
 * Whether no records go to the console: the serial line is off, or the firmware offers the port itself (serial.c). A
 * console that shows records keeps the screen.
 */
static bool console_is_for_people(void)
{
    static EFI_GUID serial_io = EFI_SERIAL_IO_PROTOCOL_GUID;

    return run->config.serial == SERIAL_OFF || firmware_locate(&serial_io);
}

/* Allocates what depends on the size of the screen, for the whole run. False when memory is short. */
static bool make_room(void)
{
    const unsigned columns = screen.wanted.columns, rows = screen.wanted.rows;
    struct cell *cells = calloc((size_t)3 * rows * columns, sizeof *cells);

    screen.wanted.at = cells;
    plot.columns = columns - LABEL_COLUMNS - 1;
    plot.rows = rows / 4;
    plot.dots_across = plot.columns * screen.cell_width;
    plot.dots_up = plot.rows * screen.cell_height;
    plot.spans = calloc(plot.dots_across, sizeof *plot.spans);
    plot.knees = calloc(plot.dots_across, sizeof *plot.knees);
    screen.pixels = malloc((size_t)columns * screen.cell_width * screen.cell_height * sizeof(pixel));
    if (!cells || !plot.spans || !plot.knees || !screen.pixels)
        return false;
    screen.shown = cells + (size_t)rows * columns;
    for (unsigned i = 0; i < rows; i++)
        lines[i].cells = cells + (size_t)(2 * rows + i) * columns;
    return true;
}

bool screen_start(const struct run *r)
{
    static EFI_GUID graphics = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
    EFI_GRAPHICS_OUTPUT_PROTOCOL *gop = firmware_protocol(firmware.system->ConsoleOutHandle, &graphics);

    run = r;
    if (!gop)
        gop = firmware_locate(&graphics);
    if (!gop || !gop->Mode || !gop->Mode->Info || !console_is_for_people())
        return false;
    const unsigned width = gop->Mode->Info->HorizontalResolution, height = gop->Mode->Info->VerticalResolution;
    unsigned scale = width / (8 * COLUMNS_WANTED);
    if (scale > height / (16 * ROWS_WANTED))
        scale = height / (16 * ROWS_WANTED);
    if (scale == 0)
        scale = 1;
    screen.font = &fonts[scale % 2 == 0];
    screen.times = scale % 2 == 0 ? scale / 2 : scale;
    screen.cell_width = 8 * scale;
    screen.cell_height = 16 * scale;
    const unsigned columns = width / screen.cell_width, rows = height / screen.cell_height;
    if (columns < COLUMNS_AT_LEAST || rows < ROWS_AT_LEAST)
        return false;
    screen.wanted.columns = columns < COLUMNS ? columns : COLUMNS;
    screen.wanted.rows = rows < ROWS ? rows : ROWS;
    screen.left = (width - screen.wanted.columns * screen.cell_width) / 2;
    screen.top = (height - screen.wanted.rows * screen.cell_height) / 2;
    pixel paper = colours[CELL_TEXT].paper;
    if (!make_room() || EFI_ERROR(gop->Blt(gop, &paper, EfiBltVideoFill, 0, 0, 0, 0, width, height, 0)))
        return false;
    screen.gop = gop;
    console_only_terminals();
    return true;
}
