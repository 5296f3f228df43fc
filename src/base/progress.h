/* progress.h: how long work tells how far it is. */
#ifndef ATTN_BASE_PROGRESS_H
#define ATTN_BASE_PROGRESS_H

/* Called now and then on the thread that asked for the work: FRACTION of it is done, 0…1. A NULL callback:
 * nobody listens. */
typedef void attn_progress(void *context, double fraction);

#endif
