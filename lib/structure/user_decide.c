#include "lib/structure/user_decide.h"

#include "lib/structure/tolerances_user.h"

bool user_is_faster(double cycles, double other)
{
    return cycles < other * (1 - USER_FASTER_PART);
}

bool user_waited(double as_it_is, double without, double control)
{
    return user_is_faster(without, as_it_is) && user_is_faster(without, control);
}

bool user_is_unusual(double cycles, double usual)
{
    return !(cycles >= usual * (1 - USER_FASTER_PART));
}

bool user_is_full_width(double part)
{
    return part > USER_WIDTH_PART && part < USER_UNIT_PART_MOST;
}

bool user_is_full_unit(double part)
{
    return part > USER_UNIT_PART && part < USER_UNIT_PART_MOST;
}

bool user_is_full_queue(double part)
{
    return part > USER_QUEUE_PART;
}

bool user_is_full_fetch(double short_cycles, double long_cycles)
{
    return long_cycles > USER_FETCH_RATIO * short_cycles;
}

bool user_has_more_units(double cycles, double other)
{
    return cycles < other * (1 - USER_MORE_UNITS_PART);
}
