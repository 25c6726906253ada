/* SPDX-License-Identifier: MIT */

#include "recorder.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef OPEN_MPI
#include <mpi-ext.h> /* before all_reductions.h includes it inside a list */
#endif

bool recording;
_Thread_local int depth;
_Thread_local void* fortran_site;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool threaded;
static pid_t process;
static pthread_t home;   /* the thread that records if there is only one */
static pthread_t holder; /* of the mutex, if `held` */
static volatile sig_atomic_t held;

void recorder_lock(void) {
  if (!threaded) return;
  pthread_mutex_lock(&mutex);
  holder = pthread_self();
  held = 1;
}

void recorder_unlock(void) {
  if (!threaded) return;
  held = 0;
  pthread_mutex_unlock(&mutex);
}

bool recorder_is_shared(void) { return threaded; }

/* Signals that end a program. */
static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGILL,  SIGABRT,
                              SIGBUS, SIGFPE, SIGSEGV, SIGTERM, SIGXCPU};
enum { signal_count = sizeof signals / sizeof *signals };
static struct sigaction earlier[signal_count];

/* Whether no other thread is changing the records. A lock is kept, since the process ends. */
static bool may_save(void) {
  if (!threaded) return pthread_equal(pthread_self(), home) != 0;
  return (held != 0 && pthread_equal(pthread_self(), holder) != 0) ||
         pthread_mutex_trylock(&mutex) == 0;
}

/* Saves the records in this thread or waits until another one has. Any thread gets the signals of a
   process, also those that the MPI library starts. */
static void save(int number) {
  enum { rounds = 1000 }; /* of 10 ms */
  static volatile sig_atomic_t saving;
  static volatile sig_atomic_t saved;
  bool told = threaded;
  for (int i = 0; i < rounds && !saved; ++i) {
    if (!saving && may_save()) {
      saving = 1;
      recording = false;
      buffer_rescue();
      saved = 1;
    } else {
      if (!told) pthread_kill(home, number);
      told = true;
      nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
  }
}

/* Saves the records, then lets the earlier handler act. */
static void save_on_signal(int number) {
  static volatile sig_atomic_t begun;
  if ((recording || begun) && getpid() == process) {
    begun = 1;
    save(number);
  }
  for (int i = 0; i < signal_count; ++i) {
    if (signals[i] == number) sigaction(number, &earlier[i], NULL);
  }
  raise(number);
}

/* A program that handles a signal itself, other than by MPI's report of a crash, goes on. */
static void catch_signals(void) {
  for (int i = 0; i < signal_count; ++i) {
    const bool crash = signals[i] == SIGABRT || signals[i] == SIGBUS || signals[i] == SIGFPE ||
                       signals[i] == SIGILL || signals[i] == SIGSEGV;
    if (sigaction(signals[i], NULL, &earlier[i]) != 0) continue;
    if (!crash && earlier[i].sa_handler != SIG_DFL) continue;
    struct sigaction action = {.sa_handler = save_on_signal};
    sigfillset(&action.sa_mask);
    sigaction(signals[i], &action, NULL);
  }
}

/* Makes the folder `path` with its parents. */
static bool make_folder(const char* path) {
  char parent[4096];
  if (strlen(path) >= sizeof parent) return false;
  strcpy(parent, path);
  for (char* slash = strchr(parent + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(parent, 0777);
    *slash = '/';
  }
  return mkdir(path, 0777) == 0 || errno == EEXIST;
}

/* Whether a file begins as a trace, or is empty, as if a run ended early. */
static bool is_trace(int folder, const char* name) {
  char begin[8];
  const int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  const ssize_t count = read(file, begin, sizeof begin);
  close(file);
  return count == 0 ||
         (count == sizeof begin && memcmp(begin, BRACKET_TRACE_MAGIC, sizeof begin) == 0);
}

/* Removes the traces of an earlier run. */
static void clear_folder(const char* path) {
  DIR* const folder = opendir(path);
  if (folder == NULL) return;
  for (struct dirent* entry; (entry = readdir(folder)) != NULL;) {
    int rank = 0;
    int end = 0;
    if (sscanf(entry->d_name, "rank-%d.trace%n", &rank, &end) == 1 && end > 0 &&
        entry->d_name[end] == '\0' && is_trace(dirfd(folder), entry->d_name)) {
      unlinkat(dirfd(folder), entry->d_name, 0);
    }
  }
  closedir(folder);
}

static size_t asked_keep(int rank) {
  const char* const written = getenv("BRACKET_RECORD_KEEP");
  if (written == NULL || *written == '\0') return default_keep;
  char* end = NULL;
  const long long asked = strtoll(written, &end, 10);
  if (*end == '\0' && asked >= 0 && asked <= most_keep) return (size_t)asked;
  if (rank == 0) {
    fprintf(stderr,
            "bracket: BRACKET_RECORD_KEEP is '%s': a number of bytes from 0 to %d was "
            "expected; %d are kept\n",
            written, most_keep, default_keep);
  }
  return default_keep;
}

static void refuse_foreign(void) { refuse_foreign_library("libbracket_recorder.so"); }

/* A tool that is loaded before the recorder gets the calls of the program, and passes them on by
   PMPI names, which the recorder does not see. The library of reproducible reductions calls the
   recorder. */
static void tell_of_tool_in_front(void) {
  static const char* const functions[] = {
#define BLOCKING(NAME, ...) #NAME,
#define NONBLOCKING BLOCKING
#define PERSISTENT BLOCKING
#include "preload/all_reductions.h"
      "MPI_Wait", "MPI_Comm_dup", "MPI_Comm_split"};
  Dl_info own;
  dladdr((void*)&recording, &own);
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
    Dl_info front;
    void* const function = dlsym(RTLD_DEFAULT, functions[i]);
    if (function == NULL || dladdr(function, &front) == 0 || front.dli_fbase == own.dli_fbase ||
        strstr(front.dli_fname, "/libbracket_reproducible.so") != NULL) {
      continue;
    }
    fprintf(stderr,
            "bracket: %s is that of %s, which comes before the recorder: what it passes on by PMPI "
            "names is not recorded\n",
            functions[i], front.dli_fname);
    return;
  }
}

void recorder_start(void) {
  refuse_foreign();
  const char* const folder = getenv("BRACKET_RECORD");
  if (recording || folder == NULL || *folder == '\0') return;
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) return;
  struct header header = {
      .magic = BRACKET_TRACE_MAGIC, .version = trace_version, .bytes = sizeof header};
  PMPI_Comm_rank(MPI_COMM_WORLD, &header.rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &header.ranks);
  if (header.rank == 0) {
    tell_of_tool_in_front();
    make_folder(folder);
    clear_folder(folder);
    if (getrandom(header.run, sizeof header.run, 0) != sizeof header.run) {
      const int64_t now[2] = {clock_now(), getpid()};
      memcpy(header.run, now, sizeof now);
    }
  }
  PMPI_Bcast(header.run, sizeof header.run, MPI_BYTE, 0, MPI_COMM_WORLD);
  make_folder(folder);
  header.keep = (uint32_t)asked_keep(header.rank);
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  header.monotonic = clock_now();
  header.realtime = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
  gethostname(header.host, sizeof header.host - 1);
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  PMPI_Get_library_version(library, &length);
  snprintf(header.library, sizeof header.library, "%.*s", (int)strcspn(library, "\n"), library);
  if (readlink("/proc/self/exe", header.program, sizeof header.program - 1) < 0) {
    header.program[0] = '\0';
  }
  char path[4096];
  if ((size_t)snprintf(path, sizeof path, "%s/rank-%d.trace", folder, header.rank) >= sizeof path) {
    fprintf(stderr, "bracket: the name of the folder in BRACKET_RECORD is too long\n");
    return;
  }
  struct stat present;
  if (stat(path, &present) == 0 && !is_trace(AT_FDCWD, path)) {
    fprintf(stderr,
            "bracket: %s: is no trace, and a trace would replace it: move it away; this rank is "
            "not recorded\n",
            path);
    return;
  }
  if (!buffer_open(path, &header)) return;
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  threaded = level == MPI_THREAD_MULTIPLE;
  process = getpid();
  home = pthread_self();
  clock_start(threaded);
  own_time_start(threaded);
  names_start();
  catch_signals();
  recording = true;
}

void recorder_stop(enum end reason) {
  if (!recording || getpid() != process) return;
  requests_stop();
  recorder_lock();
  recording = false;
  buffer_close(reason);
  recorder_unlock();
  if (reason == end_finalize) names_stop();
}

void other_end(struct other_name* name, int64_t entry) {
  const int64_t completed = recorder_now();
  recorder_lock();
  if (recording) {
    if (!name->known) {
      name->id = call_named(name->name);
      name->known = true;
    }
    buffer_add_other(name->id, entry, completed);
    own_time_add(0, 2);
  }
  recorder_unlock();
  --depth;
}

__attribute__((destructor)) static void stop_at_exit(void) { recorder_stop(end_exit); }

EXPORT int MPI_Init(int* argc, char*** argv) {
  refuse_foreign();
  ++depth;
  const int code = PMPI_Init(argc, argv);
  --depth;
  if (code == MPI_SUCCESS && depth == 0) recorder_start();
  return code;
}

EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  refuse_foreign();
  ++depth;
  const int code = PMPI_Init_thread(argc, argv, required, provided);
  --depth;
  if (code == MPI_SUCCESS && depth == 0) recorder_start();
  return code;
}

EXPORT int MPI_Finalize(void) {
  recorder_stop(end_finalize);
  return PMPI_Finalize();
}

EXPORT int MPI_Abort(MPI_Comm comm, int code) {
  recorder_stop(end_abort);
  return PMPI_Abort(comm, code);
}
