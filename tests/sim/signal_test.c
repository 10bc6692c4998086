/* The machine and the host's signals: a handler that a program has set is the program's again after a launch, hears
 * of what is not the guest's while one runs, and may be replaced at any time. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "guest.h"
#include "sim/machine.h"

static const int signals[] = {SIGSEGV, SIGBUS};
static const char faulty[] = " lw x5, 0(x0)\n endprg\n";

static volatile char *closed; /* a page of the host's that nobody may touch */
static sigjmp_buf host_jump;
static volatile sig_atomic_t heard, heard_signal;
static void *volatile heard_address, *volatile heard_stack;
static void *guest_address;

static void plain_handler(int sig)
{
    heard++;
    heard_signal = sig;
    siglongjmp(host_jump, 1);
}

static void full_handler(int sig, siginfo_t *info, void *context)
{
    (void)context;
    heard_address = info->si_addr;
    plain_handler(sig);
}

static void counting_handler(int sig)
{
    stack_t stack;
    heard++;
    heard_signal = sig;
    if (sigaltstack(NULL, &stack) == 0) heard_stack = stack.ss_flags & SS_ONSTACK ? stack.ss_sp : NULL;
}

/* Makes `handler` that of both signals. */
static void set_handlers(const struct sigaction *handler, struct sigaction old[2])
{
    for (int i = 0; i < 2; i++) assert_int_equal(sigaction(signals[i], handler, old ? &old[i] : NULL), 0);
}

static bool is_handler(int sig, const struct sigaction *wanted)
{
    struct sigaction now;
    assert_int_equal(sigaction(sig, NULL, &now), 0);
    return !((now.sa_flags ^ wanted->sa_flags) & (SA_SIGINFO | SA_RESTART)) && now.sa_handler == wanted->sa_handler;
}

static void assert_handlers(const struct sigaction *wanted)
{
    for (int i = 0; i < 2; i++)
        if (!is_handler(signals[i], wanted)) fail_msg("signal %d has another handler", signals[i]);
}

static int open_page(void **state)
{
    (void)state;
    closed = mmap(NULL, ABI_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return (void *)closed == MAP_FAILED;
}

static int close_page(void **state)
{
    (void)state;
    return munmap((void *)closed, ABI_PAGE);
}

/* ---- what a hook does in the middle of a launch ---- */

typedef void deed(void);

static enum observed do_deed(void *user, struct warp *w, const struct insn *in)
{
    (void)w, (void)in;
    (*(deed *const *)user)();
    return GO_ON;
}

/* A launch with an access that faults, before which `what` is done. */
static void launch_with(deed *what)
{
    const struct observer watch = {.user = &what, .before = do_deed};
    struct guest g;
    guest_open(&g);
    g.options.observers = &watch;
    guest_assemble(&g, faulty);
    guest_address = g.data;
    guest_run(&g);
    assert_int_equal(g.result.fault.kind, FAULT_READ);
    guest_close(&g);
}

static void touch(volatile char *address)
{
    if (sigsetjmp(host_jump, 1) == 0) *address = 1;
}

static void touch_closed(void) { touch(closed); }

static void touch_nothing(void) {}

static void *other_thread(void *user)
{
    (void)user;
    launch_with(touch_nothing);
    return NULL;
}

/* A launch that faults on another machine, in a thread of its own, from begin to end. */
static void launch_elsewhere(void)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, other_thread, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void send_signals(void)
{
    raise(SIGSEGV);
    raise(SIGBUS);
}

/* A signal that a process sends with an address of the guest's in it is no access. */
static void send_address(void)
{
    siginfo_t info = {.si_signo = SIGSEGV, .si_code = SI_QUEUE};
    info.si_addr = guest_address;
    assert_int_equal(syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGSEGV, &info), 0);
}

/* ---- tests ---- */

/* Before and after a launch that faults, everything of the thread's signals is the same. */
static void test_left_alone(void **state)
{
    struct sigaction mine = {.sa_handler = plain_handler}, old[2];
    sigset_t before, usual, now;
    stack_t had, stack; /* a sanitizer has one of its own */
    struct guest g;
    (void)state;
    sigemptyset(&mine.sa_mask);
    set_handlers(&mine, old);
    assert_int_equal(sigaltstack(NULL, &had), 0);
    guest_open(&g);
    sigemptyset(&before);
    sigaddset(&before, SIGUSR1);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, &before, &usual), 0);
    guest_assemble(&g, faulty);
    for (int i = 0; i < 2; i++) {
        guest_run(&g);
        assert_int_equal(g.result.fault.kind, FAULT_READ);
        assert_handlers(&mine);
        pthread_sigmask(SIG_SETMASK, NULL, &now);
        assert_memory_equal(&before, &now, sizeof(unsigned long));
        assert_int_equal(sigaltstack(NULL, &stack), 0);
        assert_int_equal(stack.ss_flags, had.ss_flags);
        assert_ptr_equal(stack.ss_sp, had.ss_sp);
    }
    assert_int_equal(pthread_sigmask(SIG_SETMASK, &usual, NULL), 0);
    guest_close(&g);
    set_handlers(&old[0], NULL);
}

/* Signals are handled on a stack of their own: the thread's, if it has one, else the machine's. */
static void test_signal_stack(void **state)
{
    stack_t mine = {.ss_sp = malloc(RECOVER_STACK), .ss_size = RECOVER_STACK}, off = {.ss_flags = SS_DISABLE}, now;
    struct sigaction counting = {.sa_handler = counting_handler}, old[2];
    (void)state;
    assert_non_null(mine.ss_sp);
    set_handlers(&counting, old);
    launch_with(send_signals);
    assert_non_null(heard_stack);
    assert_int_equal(sigaltstack(&mine, NULL), 0);
    launch_with(send_signals);
    assert_ptr_equal(heard_stack, mine.ss_sp);
    assert_int_equal(sigaltstack(NULL, &now), 0);
    assert_ptr_equal(now.ss_sp, mine.ss_sp);
    assert_int_equal(now.ss_flags, 0);
    assert_int_equal(sigaltstack(&off, NULL), 0);
    free(mine.ss_sp);
    set_handlers(&old[0], NULL);
}

/* While a launch runs, a fault of the host's own and a signal that somebody sends go to the handler that was there
 * before. */
static void test_foreign_signals(void **state)
{
    const struct sigaction handlers[] = {{.sa_handler = plain_handler},
                                         {.sa_sigaction = full_handler, .sa_flags = SA_SIGINFO}};
    struct sigaction counting = {.sa_handler = counting_handler}, ignoring = {.sa_handler = SIG_IGN}, old[2];
    (void)state;
    set_handlers(&counting, old);
    heard = 0;
    launch_with(send_signals);
    assert_int_equal(heard, 2);
    assert_int_equal(heard_signal, SIGBUS);
    launch_with(send_address);
    assert_int_equal(heard, 3);
    assert_int_equal(sigaction(SIGBUS, &ignoring, NULL), 0);
    launch_with(send_signals);
    assert_int_equal(heard, 4);
    assert_int_equal(heard_signal, SIGSEGV);
    set_handlers(&ignoring, NULL);
    launch_with(send_signals);
    for (int i = 0; i < 2; i++) {
        heard = 0;
        set_handlers(&handlers[i], NULL);
        launch_with(touch_closed);
        assert_int_equal(heard, 1);
        assert_int_equal(heard_signal, SIGSEGV);
        assert_handlers(&handlers[i]);
    }
    assert_ptr_equal(heard_address, (void *)closed);
    set_handlers(&old[0], NULL);
}

/* The handlers stay until the last launch of the process has ended. */
static void test_two_machines(void **state)
{
    struct sigaction mine = {.sa_handler = plain_handler}, old[2];
    (void)state;
    set_handlers(&mine, old);
    launch_with(launch_elsewhere);
    assert_handlers(&mine);
    set_handlers(&old[0], NULL);
}

/* The signal that ends a process which lets `what` happen in a launch, with `handler` set before. */
static int ends_with(deed *what, void (*handler)(int))
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        signal(SIGSEGV, handler);
        launch_with(what);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* Without a handler, what is not the guest's ends the process as it would without a launch. A fault cannot be
 * ignored. */
static void test_no_handler(void **state)
{
    (void)state;
    assert_int_equal(ends_with(touch_closed, SIG_DFL), SIGSEGV);
    assert_int_equal(ends_with(touch_closed, SIG_IGN), SIGSEGV);
    assert_int_equal(ends_with(send_signals, SIG_DFL), SIGSEGV);
}

static void touch_guest(void *user, const struct group *group)
{
    (void)user, (void)group;
    touch((char *)guest_address - ABI_PAGE);
}

/* Between work-groups nothing is the guest's, not even an address in the guest's memory. */
static void test_between_groups(void **state)
{
    struct sigaction full = {.sa_sigaction = full_handler, .sa_flags = SA_SIGINFO}, old[2];
    const struct observer watch = {.group_end = touch_guest};
    struct guest g;
    (void)state;
    set_handlers(&full, old);
    heard = 0;
    guest_open(&g);
    guest_address = g.data;
    g.options.observers = &watch;
    guest_assemble(&g, faulty);
    guest_run(&g);
    assert_int_equal(g.result.fault.kind, FAULT_READ);
    assert_int_equal(heard, 1);
    assert_ptr_equal(heard_address, (char *)g.data - ABI_PAGE);
    guest_close(&g);
    set_handlers(&old[0], NULL);
}

static void replace_handlers(void)
{
    const struct sigaction theirs = {.sa_handler = counting_handler, .sa_flags = SA_RESTART};
    set_handlers(&theirs, NULL);
}

/* A handler that somebody puts over the machine's while a launch runs stays there, and the next launch works. */
static void test_replaced(void **state)
{
    const struct sigaction theirs = {.sa_handler = counting_handler, .sa_flags = SA_RESTART};
    struct sigaction old[2];
    struct guest g;
    const struct observer watch = {.user = &(deed *){replace_handlers}, .before = do_deed};
    (void)state;
    set_handlers(&(struct sigaction){.sa_handler = plain_handler}, old);
    guest_open(&g);
    g.options.observers = &watch;
    guest_assemble(&g, " endprg\n");
    guest_run(&g);
    assert_int_equal(g.result.status, LAUNCH_DONE);
    assert_handlers(&theirs);
    guest_close(&g);
    launch_with(touch_nothing);
    assert_handlers(&theirs);
    set_handlers(&old[0], NULL);
}

/* ---- handlers set while a kernel computes ---- */

/* Computes for some milliseconds, and then makes an access that faults. */
static const char late[] = " li x6, 300000\n1: addi x6, x6, -1\n bnez x6, 1b\n lw x5, 0(x0)\n endprg\n";

static volatile sig_atomic_t *calls; /* shared with children */
static struct sigaction below;       /* what `calling` hands on to */

static void calling_handler(int sig, siginfo_t *info, void *context)
{
    ++*calls;
    if (*calls < 100) below.sa_sigaction(sig, info, context);
    else _exit(1);
}

/* Once: over the machine's. */
static void call_first(void)
{
    const struct sigaction calling = {.sa_sigaction = calling_handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (!below.sa_sigaction) assert_int_equal(sigaction(SIGSEGV, &calling, &below), 0);
}

static void launch_late(deed *what)
{
    const struct observer watch = {.user = &what, .before = do_deed};
    struct guest g;
    guest_open(&g);
    g.options.observers = &watch;
    guest_assemble(&g, late);
    guest_run(&g);
    assert_int_equal(g.result.fault.kind, FAULT_READ);
    guest_close(&g);
}

/* The guest's fault does not go to a handler that a program has set meanwhile. */
static void test_set_meanwhile(void **state)
{
    struct sigaction old[2];
    (void)state;
    calls = mmap(NULL, ABI_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(calls != MAP_FAILED);
    set_handlers(&(struct sigaction){.sa_handler = plain_handler}, old);
    launch_late(call_first);
    assert_int_equal(*calls, 0);
    assert_true(is_handler(SIGSEGV, &(struct sigaction){.sa_sigaction = calling_handler, .sa_flags = SA_SIGINFO}));
    set_handlers(&old[0], NULL);
    below = (struct sigaction){0};
}

static deed *then; /* once something computes */

static void call_first_then(void)
{
    static unsigned instructions;
    call_first();
    if (++instructions == 400000) then();
}

/* A foreign fault goes to that handler, and when this hands it on to ours, under which it has found itself, no
 * further. */
static void test_circle(void **state)
{
    int status;
    (void)state;
    then = touch_closed;
    *calls = 0;
    pid_t child = fork();
    if (!child) {
        signal(SIGSEGV, SIG_DFL);
        launch_late(call_first_then);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSEGV)
        fail_msg("status 0x%x after %d calls", status, (int)*calls);
    assert_int_equal(*calls, 1);
}

/* Two jobs of one gpu_run: the second comes when the first has ended. */
struct pair {
    struct job jobs[2], *next;
};

static struct job *next_of_pair(void *user)
{
    struct pair *p = user;
    struct job *job = p->next;
    p->next = NULL;
    return job;
}

static void done_of_pair(void *user, struct job *job)
{
    struct pair *p = user;
    if (job != &p->jobs[0]) return;
    replace_handlers();
    p->next = &p->jobs[1];
}

/* The next launch need not be the next run of the machine. */
static void test_replaced_between_jobs(void **state)
{
    const struct sigaction theirs = {.sa_handler = counting_handler, .sa_flags = SA_RESTART};
    struct sigaction old[2];
    struct guest g;
    (void)state;
    set_handlers(&(struct sigaction){.sa_handler = plain_handler}, old);
    guest_open(&g);
    guest_assemble(&g, faulty);
    struct pair pair = {.jobs = {{.launch = g.launch}, {.launch = g.launch}}, .next = pair.jobs};
    const struct job_source source = {&pair, next_of_pair, done_of_pair};
    heard = 0;
    gpu_run(g.gpu, &source);
    for (int i = 0; i < 2; i++) assert_int_equal(pair.jobs[i].result.fault.kind, FAULT_READ);
    assert_int_equal(heard, 0);
    assert_handlers(&theirs);
    guest_close(&g);
    set_handlers(&old[0], NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_left_alone),      cmocka_unit_test(test_signal_stack),
        cmocka_unit_test(test_foreign_signals), cmocka_unit_test(test_between_groups),
        cmocka_unit_test(test_two_machines),    cmocka_unit_test(test_no_handler),
        cmocka_unit_test(test_replaced),        cmocka_unit_test(test_set_meanwhile),
        cmocka_unit_test(test_circle),          cmocka_unit_test(test_replaced_between_jobs),
    };
    return cmocka_run_group_tests(tests, open_page, close_page);
}
