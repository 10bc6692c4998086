/* Ctrl-C, where VENTUS_INTERRUPT asks for it (`ventus exec` does): launches that run are cancelled and say where they
 * were, and then the process ends as it would have ended at once. With nothing at work, or at the second Ctrl-C, it
 * does so immediately. A program that handles the signal itself keeps its handler. */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/driver.h"
#include "host/word.h"

static atomic_bool interrupted, handled;
static atomic_uint running; /* launches of the process that are with a machine */

static void end_process(void)
{
    signal(SIGINT, SIG_DFL);
    kill(getpid(), SIGINT);
}

static void on_signal(int number)
{
    (void)number;
    if (atomic_exchange(&interrupted, true) || !running) end_process();
}

bool interrupt_begin(void)
{
    static struct host_word wanted = {"VENTUS_INTERRUPT", {"0", "1"}, false};
    struct sigaction now, ours = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    if (!host_word(&wanted)) return false;
    if (atomic_exchange(&handled, true)) return true;
    if (!sigaction(SIGINT, NULL, &now) && now.sa_handler == SIG_DFL) sigaction(SIGINT, &ours, NULL);
    return true;
}

bool interrupt_came(void) { return interrupted; }

void interrupt_count(int change) { running += (unsigned)change; }

void interrupt_end(const ventus_event *e)
{
    if (!interrupted) return;
    if (e->outcome.message) host_say("ventus: interrupted", e->outcome.message);
    report_all();
    end_process();
}
