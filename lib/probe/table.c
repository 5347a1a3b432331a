#include "lib/probe/table.h"

void record_table(const struct probe *p, struct record *r, const char *name)
{
    record_start(r, &p->run->writer, "table");
    record_text(r, "probe", p->definition->name);
    record_core(r);
    record_text(r, "name", name);
}

void record_columns(struct record *r, const char *const *columns, size_t count)
{
    record_array(r, "columns");
    for (size_t i = 0; i < count; i++)
        record_text(r, NULL, columns[i]);
    record_close(r);
    record_array(r, "rows");
}
