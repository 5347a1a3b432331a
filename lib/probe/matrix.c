#include "lib/probe/matrix.h"

#include "lib/base/numbers.h"
#include "lib/base/record.h"
#include "lib/probe/probe.h"

static void send_numbers(struct record *r, const char *key, const double *numbers, size_t count)
{
    record_array(r, key);
    for (size_t i = 0; i < count; i++)
        record_number(r, NULL, rounded(numbers[i]));
    record_close(r);
}

double *matrix_cell(const struct matrix *m, size_t row, size_t column)
{
    return &m->cells[row * m->pitch + column];
}

void matrix_send(struct probe *p, const struct matrix *m)
{
    struct record r;

    record_start(&r, &p->run->writer, "matrix");
    record_text(&r, "probe", p->definition->name);
    record_text(&r, "name", m->name);
    record_core(&r);
    record_text(&r, "row_axis", m->row_axis);
    record_text(&r, "column_axis", m->column_axis);
    record_text(&r, "unit", m->unit);
    send_numbers(&r, "rows", m->rows, m->row_count);
    send_numbers(&r, "columns", m->columns, m->column_count);
    record_array(&r, "cells");
    for (size_t i = 0; i < m->row_count; i++)
        send_numbers(&r, NULL, matrix_cell(m, i, 0), m->column_count);
    record_close(&r);
    record_send(&r);
}
