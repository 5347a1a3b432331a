#include "lib/structure/user_decide.h"

#include "lib/structure/tolerances_user.h"

bool user_waited(double as_it_is, double without, double control)
{
    return without < as_it_is * (1 - USER_FASTER_PART) && without < control * (1 - USER_FASTER_PART);
}

bool user_is_full_width(double part)
{
    return part > USER_WIDTH_PART;
}

bool user_is_full_unit(double part)
{
    return part > USER_UNIT_PART && part < USER_UNIT_PART_MOST;
}
