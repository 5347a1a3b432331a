#include "lib/structure/code_prefetchers.h"

#include <stddef.h>

const struct code_look_design code_looks[CODE_LOOKS + 1] = {
    [CODE_LOOK_ODD_1] = {"odd line", 5, 1, 1, 1},           [CODE_LOOK_ODD_2] = {"odd line", 5, 1, 1, 2},
    [CODE_LOOK_ODD_4] = {"odd line", 5, 1, 1, 4},           [CODE_LOOK_ODD_BEFORE] = {"odd line", 5, 1, 1, -1},
    [CODE_LOOK_EVEN_1] = {"even line", 4, 1, 1, 1},         [CODE_LOOK_EVEN_BEFORE] = {"even line", 4, 1, 1, -1},
    [CODE_LOOK_EVEN_2_BEFORE] = {"even line", 4, 1, 1, -2}, [CODE_LOOK_UP_1] = {"4 lines up", 2, 4, 1, 1},
    [CODE_LOOK_UP_2] = {"4 lines up", 2, 4, 1, 2},          [CODE_LOOK_UP_4] = {"4 lines up", 2, 4, 1, 4},
    [CODE_LOOK_DOWN_1] = {"4 lines down", 7, 4, -1, -1},    [CODE_LOOK_DOWN_2] = {"4 lines down", 7, 4, -1, -2},
    [CODE_LOOK_ITSELF] = {"odd line", 5, 1, 1, 0},
};

const char *const code_prefetcher_names[CODE_PREFETCHERS] = {"next", "pair", "stream up", "stream down"};

/* Two looks must see their lines prefetched, and, unless it is one of the two, a third must not. */
static bool decide_single(const enum code_prefetch_effect looks[CODE_LOOKS], enum code_look a, enum code_look b,
                          enum code_look nothing, bool *found)
{
    const bool third = nothing != a && nothing != b;

    *found = looks[a] != CODE_PREFETCH_NOTHING && looks[b] != CODE_PREFETCH_NOTHING &&
             !(third && looks[nothing] == CODE_PREFETCH_BRINGS);
    return !*found || (looks[a] == CODE_PREFETCH_BRINGS && looks[b] == CODE_PREFETCH_BRINGS &&
                       (!third || looks[nothing] == CODE_PREFETCH_NOTHING));
}

/* Of looks behind several lines and behind the last of them alone, one pair must differ. */
static bool decide_stream(const enum code_prefetch_effect looks[CODE_LOOKS], const enum code_look (*pairs)[2],
                          size_t count, bool *found)
{
    bool known = true;

    *found = false;
    for (size_t i = 0; i < count; i++) {
        const enum code_prefetch_effect several = looks[pairs[i][0]], single = looks[pairs[i][1]];
        *found = *found || (several == CODE_PREFETCH_BRINGS && single == CODE_PREFETCH_NOTHING);
        known = known && several != CODE_PREFETCH_UNKNOWN &&
                (several == CODE_PREFETCH_NOTHING || single != CODE_PREFETCH_UNKNOWN);
    }
    return *found || known;
}

bool code_prefetcher_decided(const enum code_prefetch_effect looks[CODE_LOOKS], enum code_prefetcher kind, bool *found)
{
    static const enum code_look up[][2] = {{CODE_LOOK_UP_1, CODE_LOOK_ODD_1},
                                           {CODE_LOOK_UP_2, CODE_LOOK_ODD_2},
                                           {CODE_LOOK_UP_4, CODE_LOOK_ODD_4}},
                                down[][2] = {{CODE_LOOK_DOWN_1, CODE_LOOK_EVEN_BEFORE},
                                             {CODE_LOOK_DOWN_2, CODE_LOOK_EVEN_2_BEFORE}};

    switch (kind) {
    case CODE_PREFETCHER_NEXT: return decide_single(looks, CODE_LOOK_ODD_1, CODE_LOOK_EVEN_1, CODE_LOOK_EVEN_1, found);
    case CODE_PREFETCHER_PAIR:
        return decide_single(looks, CODE_LOOK_EVEN_1, CODE_LOOK_ODD_BEFORE, CODE_LOOK_EVEN_BEFORE, found);
    case CODE_PREFETCHER_UP: return decide_stream(looks, up, sizeof up / sizeof up[0], found);
    case CODE_PREFETCHER_DOWN: return decide_stream(looks, down, sizeof down / sizeof down[0], found);
    case CODE_PREFETCHERS: break;
    }
    return false;
}
