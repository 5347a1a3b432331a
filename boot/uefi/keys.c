/*
 * Keys, from the firmware's console: a keyboard or a serial line.
 *
 * A serial line may echo what we print, or have a program with a login prompt at its other end. So a key counts only
 * when no other character follows within ALONE_US, which is faster than people type.
 */
#include "boot/uefi/keys.h"

#include <stdio.h>
#include <string.h>

#include "boot/uefi/console.h"
#include "boot/uefi/firmware.h"
#include "boot/uefi/screen.h"
#include "boot/uefi/time.h"
#include "boot/uefi/watchdog.h"
#include "lib/machine.h"
#include "lib/probe/probe.h"
#include "lib/run/plan.h"

enum {
    ALONE_US = 30000, /* an echo at 9600 baud brings a character each millisecond; nobody types 30 keys a second */
    POLL_US = 20000,  /* between polls while nothing else is done: faster than a person notices */
    LINE = 200,       /* bytes of a line of text */
};
/* During a run keys are polled every tenth of a second, and drivers get time (let_drivers_run) twice a second. */
static const double POLL_SECONDS = 0.1, DRIVERS_SECONDS = 0.5;
/* The firmware's tick is 10 ms, and its drivers poll their devices at every second tick (edk2): two ticks, and 1 ms. */
enum { DRIVERS_US = 21000 };

static const char run_keys[] = "Keys:  p pause   s skip this probe   x stop and save";

/* The key that was pressed, as a small letter or a digit; 0 when none was, or several followed each other at once. */
static char key_alone(void)
{
    CHAR16 key = console_key();
    bool alone = true;

    if (!key)
        return 0;
    firmware.boot->Stall(ALONE_US);
    for (unsigned i = 0; i < 1000 && console_key(); i++) /* discard them; a line that never ends must not hang us */
        alone = false;
    if (!alone)
        return 0;
    return (char)(key >= 'A' && key <= 'Z' ? key + ('a' - 'A') : key < 0x7f ? key : '?');
}

/* ---- While it runs -------------------------------------------------------------------------------- */

/*
 * Windows stop the firmware's tick, and when they follow each other its drivers never run, so that they do not see a
 * key. Twice a second, this waits long enough for them to run.
 */
static void let_drivers_run(void)
{
    static double last;

    if (machine_seconds() - last < DRIVERS_SECONDS)
        return;
    firmware.boot->Stall(DRIVERS_US);
    last = machine_seconds();
}

static void pause(void)
{
    const double began = machine_seconds();

    screen_keys("Paused.  p continues");
    machine_progress(NULL); /* a line that follows another too soon is not drawn, so that one is removed first */
    machine_progress("paused; p continues");
    while (key_alone() != 'p') {
        watchdog_refresh();
        firmware.boot->Stall(POLL_US);
    }
    time_skip(machine_seconds() - began);
    screen_keys(run_keys);
    machine_progress("continuing");
}

enum wish keys_wish(void)
{
    static double last;
    const double now = machine_seconds();

    if (now - last < POLL_SECONDS || !console_has_keys())
        return WISH_NONE;
    last = now;
    let_drivers_run();
    switch (key_alone()) {
    case 'p': pause(); return WISH_NONE;
    case 's': return WISH_SKIP;
    case 'x': screen_keys("Stopping; what has been measured is saved."); return WISH_STOP;
    default: return WISH_NONE;
    }
}

/* ---- Before ----------------------------------------------------------------------------------------- */

static void print_choices(const struct config *c)
{
    char line[LINE];

    snprintf(line, sizeof line,
             "\n"
             "  1  quick      takes about a minute%s\n"
             "  2  standard   takes about five minutes for each type of core%s\n"
             "  3  full       has no time limit%s\n",
             c->profile == PROFILE_QUICK ? "  *" : "", c->profile == PROFILE_STANDARD ? "  *" : "",
             c->profile == PROFILE_FULL ? "  *" : "");
    machine_print(line);
    snprintf(line, sizeof line, "  p  probes     %s\n", c->probes[0] ? c->probes : "all");
    machine_print(line);
    snprintf(line, sizeof line, "  c  cores      %s\n", c->cores);
    machine_print(line);
    machine_print("  r  restart the machine\n"
                  "  Enter starts\n");
}

/* Reads a line of text, until Enter, and shows it while it is typed. */
static void read_line(char *out, size_t room)
{
    char typed[sizeof((struct config *)0)->probes] = "", text[sizeof typed + 8];
    size_t used = 0;

    for (;;) {
        snprintf(text, sizeof text, "> %s_", typed);
        machine_progress(text);
        screen_now();
        CHAR16 key = console_key();
        if (key == '\r' || key == '\n')
            break;
        if (key == '\b' && used > 0)
            typed[--used] = 0;
        if (key >= ' ' && key <= '~' && used + 1 < sizeof typed && used + 1 < room) {
            typed[used++] = (char)key;
            typed[used] = 0;
        }
        if (!key)
            firmware.boot->Stall(POLL_US);
    }
    machine_progress(NULL);
    snprintf(out, room, "%s", typed);
}

static void choose_cores(struct config *c)
{
    char typed[sizeof c->cores] = "", why[LINE];

    machine_print("\nType one-per-type, all, or the numbers of cores, as in 0, 2, 4-7; only Enter keeps the choice.\n");
    read_line(typed, sizeof typed);
    if (typed[0] && !config_set(c, "cores", typed, why, sizeof why)) {
        machine_print(why);
        machine_print("\n");
    }
}

static const char *const families[] = {"frontend", "backend", "memory", "system"};
enum { FAMILIES = sizeof families / sizeof families[0] };

/* Adds the names of the probes that `what`, a name or a family, stands for, as many as there is room for. */
static void add_names(char *out, size_t room, const char *what, const struct probe_definition *const *all, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const bool wanted = !strcmp(what, all[i]->name) || (!strcmp(what, all[i]->family) && !all[i]->only_named);
        if (wanted && strlen(out) + strlen(all[i]->name) + 2 <= room)
            strcat(strcat(out, out[0] ? " " : ""), all[i]->name);
    }
}

/*
 * Asks for probes and sets them. When a word is neither a probe nor a family, a message says so and nothing is
 * changed.
 */
static void choose_probes(struct config *c)
{
    const struct probe_definition *all[PLAN_PROBES];
    const size_t count = plan_probes(all, PLAN_PROBES);
    char line[80], typed[sizeof c->probes] = "", names[sizeof c->probes] = "";

    machine_print("\nType names of probes or families, with blanks between them, or all; only Enter keeps the choice:");
    for (size_t f = 0; f < FAMILIES; f++) {
        snprintf(line, sizeof line, "\n  %-9s", families[f]);
        for (size_t i = 0; i < count; i++) {
            if (all[i]->only_named || strcmp(all[i]->family, families[f]) != 0)
                continue;
            if (strlen(line) + strlen(all[i]->name) + 2 > sizeof line) {
                machine_print(line);
                snprintf(line, sizeof line, "\n  %-9s", "");
            }
            strcat(strcat(line, " "), all[i]->name);
        }
        machine_print(line);
    }
    machine_print("\n");
    read_line(typed, sizeof typed);
    if (!typed[0])
        return;
    for (char *rest = typed, *word; strcmp(typed, "all") != 0 && (word = strtok_r(rest, " ,", &rest));) {
        const size_t before = strlen(names);
        add_names(names, sizeof names, word, all, count);
        if (strlen(names) == before) {
            snprintf(line, sizeof line, "There is no probe or family '%.20s', or the list is too long.\n", word);
            machine_print(line);
            return;
        }
    }
    snprintf(c->probes, sizeof c->probes, "%s", names);
}

bool keys_menu(struct config *c)
{
    const double over = machine_seconds() + c->menu_seconds;
    bool waits = false; /* a key was pressed: the menu waits for Enter */
    char text[80];
    char key = 0;

    if (c->menu_seconds && console_has_keys())
        print_choices(c);
    while (c->menu_seconds && console_has_keys() && key != '\r' && key != '\n') {
        const double left = over - machine_seconds();
        if (!waits && left <= 0)
            break;
        if (!waits) {
            snprintf(text, sizeof text, "Starts in %.0f s; press a key to choose.", left + 0.5);
            machine_progress(text);
        }
        screen_now();
        key = key_alone();
        if (!key) {
            firmware.boot->Stall(POLL_US);
            continue;
        }
        waits = true;
        machine_progress(NULL);
        switch (key) {
        case '1': c->profile = PROFILE_QUICK; break;
        case '2': c->profile = PROFILE_STANDARD; break;
        case '3': c->profile = PROFILE_FULL; break;
        case 'p': choose_probes(c); break;
        case 'c': choose_cores(c); break;
        case 'r': return false;
        default: break;
        }
        if (key != '\r' && key != '\n')
            print_choices(c);
    }
    machine_progress(NULL);
    screen_keys(run_keys);
    return true;
}

void keys_hold(unsigned seconds)
{
    const double over = machine_seconds() + seconds;
    bool held = false;

    screen_keys("any key holds this page; another one continues");
    for (;;) {
        const bool pressed = console_has_keys() && key_alone();
        if ((pressed && held) || (!held && machine_seconds() >= over))
            break;
        if (pressed)
            screen_keys("held; any key continues");
        held |= pressed;
        watchdog_refresh();
        firmware.boot->Stall(POLL_US);
    }
    screen_keys(run_keys);
}

/* ---- Afterwards --------------------------------------------------------------------------------------- */

/* Waits with Stall, which keeps U-Boot's watchdog from resetting the machine. */
enum after keys_stay(void)
{
    screen_keys("Finished.  r restart   p power off   q return to the firmware");
    machine_print("Finished. Press r to restart, p to power off, q to return to the firmware.\n");
    for (;;) {
        switch (key_alone()) {
        case 'r': return AFTER_REBOOT;
        case 'p': return AFTER_POWEROFF;
        case 'q': return AFTER_RETURN;
        default: firmware.boot->Stall(POLL_US);
        }
    }
}
