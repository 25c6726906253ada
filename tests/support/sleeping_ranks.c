/* SPDX-License-Identifier: MIT */

/* Preloaded into ranks of MPICH, which never give up their core while they wait: with many more ranks
 * than cores, each message then waits for the scheduler. Replaces the function of UCX by which they look
 * for messages: after some calls without any, a rank sleeps as shortly as it can. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

unsigned ucp_worker_progress(void* worker);

unsigned ucp_worker_progress(void* worker) {
  typedef unsigned Progress(void*);
  static Progress* progress;
  static int calls_without_message;
  if (progress == 0) *(void**)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned messages = progress(worker);
  if (messages > 0) {
    calls_without_message = 0;
  } else if (++calls_without_message > 20) {
    const struct timespec shortest = {0, 1};
    nanosleep(&shortest, 0);
  }
  return messages;
}
