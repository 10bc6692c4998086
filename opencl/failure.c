/* What has failed on a queue and the client has not been shown.
 *
 * Many clients do not look at what clFinish returns, and some take CL_OUT_OF_RESOURCES for a reason to try again. A
 * failure that is reported once is lost on them, and with it that their results are wrong. So every call that waits on
 * the queue returns CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, until the client has asked for the status of the
 * command that failed. Many have no event to ask: when a call has returned the error whose data or event the client
 * wanted, a blocking transfer or clWaitForEvents, its next launch is a new beginning. Called by queue.c and event.c. */
#include "objects.h"

enum { TOLD = 1, ONE = 2 };

bool failure_counts(const struct ventus_outcome *outcome)
{
    return outcome->cause != VENTUS_OK && outcome->cause != VENTUS_CANCELLED;
}

void failure_note(struct failures *f)
{
    unsigned state = atomic_load(&f->state);
    while (!atomic_compare_exchange_weak(&f->state, &state, (state & ~(unsigned)TOLD) + ONE)) {
    }
}

cl_int failure_pending(struct failures *f)
{
    return atomic_load(&f->state) ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
}

cl_int failure_tell(struct failures *f)
{
    unsigned state = atomic_load(&f->state);
    while (state && !atomic_compare_exchange_weak(&f->state, &state, state | TOLD)) {
    }
    return state ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
}

void failure_forget(struct failures *f)
{
    unsigned state = atomic_load(&f->state);
    while (state & TOLD && !atomic_compare_exchange_weak(&f->state, &state, 0)) {
    }
}

/* Failures that a blocking transfer has reported may have been removed already. */
void failure_show(struct failures *f)
{
    unsigned state = atomic_load(&f->state);
    while (state && !atomic_compare_exchange_weak(&f->state, &state, state < 2 * ONE ? 0 : state - ONE)) {
    }
}

void failure_show_all(struct failures *f) { atomic_store(&f->state, 0); }
