/* SPDX-License-Identifier: MIT */

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "bracket/record/check.h"
#include "recorder.h"

/* Members that a communicator had, and how many communicators that nobody saw being made have had
   them. */
struct membership {
  struct membership* next;
  struct members* runs;
  size_t bytes;
  uint32_t communicators;
};

static struct membership* memberships;
static int comm_key = MPI_KEYVAL_INVALID;
static MPI_Comm latest;
static struct communicator* _Atomic facts_of_latest;

/* The members of a group as ranks in MPI_COMM_WORLD, one or more. That of a spawned process is
   MPI_UNDEFINED, which is negative. */
static struct members* runs_of(MPI_Group group, size_t* count) {
  int size = 0;
  PMPI_Group_size(group, &size);
  MPI_Group world;
  int* const ranks = malloc((2 * (size_t)size + 1) * sizeof *ranks);
  struct members* const runs = malloc(((size_t)size + 1) * sizeof *runs);
  if (ranks == NULL || runs == NULL) abort();
  int* const in_world = ranks + size;
  for (int i = 0; i < size; ++i) ranks[i] = i;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_translate_ranks(group, size, ranks, world, in_world);
  PMPI_Group_free(&world);
  *count = 0;
  for (int i = 0; i < size; ++i) {
    if (*count > 0 && in_world[i] == runs[*count - 1].first + runs[*count - 1].count) {
      ++runs[*count - 1].count;
    } else {
      runs[(*count)++] = (struct members){in_world[i], 1};
    }
  }
  free(ranks);
  return runs;
}

/* Returns how many communicators with these members there were before, and takes `runs`. */
static uint32_t number_among(struct members* runs, size_t count) {
  const size_t bytes = count * sizeof *runs;
  for (struct membership* one = memberships; one != NULL; one = one->next) {
    if (one->bytes == bytes && memcmp(one->runs, runs, bytes) == 0) {
      free(runs);
      return one->communicators++;
    }
  }
  struct membership* const added = malloc(sizeof *added);
  if (added == NULL) abort();
  *added = (struct membership){memberships, runs, bytes, 1};
  memberships = added;
  return 0;
}

/* Returns false if a process is not of MPI_COMM_WORLD. */
static bool define_members(MPI_Comm comm, struct communicator* facts) {
  MPI_Group group;
  size_t count = 0;
  PMPI_Comm_group(comm, &group);
  struct members* const runs = runs_of(group, &count);
  PMPI_Group_free(&group);
  for (size_t i = 0; i < count; ++i) {
    if (runs[i].first >= 0) continue;
    free(runs);
    return false;
  }
  const size_t bytes = count * sizeof *runs;
  struct origin* const origin = &facts->origin;
  char* const first = malloc(bytes + sizeof origin->path);
  if (first == NULL) abort();
  memcpy(first, runs, bytes);
  if (origin->depth == unseen_depth) {
    origin->numbers = 1;
    origin->path[0] = number_among(runs, count);
    origin->identity = origin->path[0];
  } else {
    free(runs);
  }
  const size_t path_bytes = origin->numbers * sizeof origin->path[0];
  memcpy(first + bytes, origin->path, path_bytes);
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  PMPI_Comm_get_name(comm, name, &length);
  facts->id =
      define(kind_communicator,
             (struct definition){
                 .number = origin->numbers, .size = origin->depth, .offset = origin->identity},
             first, (uint32_t)(bytes + path_bytes), name);
  free(first);
  return true;
}

static struct communicator* facts_made(MPI_Comm comm, struct origin origin) {
  struct communicator* const facts = calloc(1, sizeof *facts);
  if (facts == NULL) abort();
  facts->origin = origin;
  PMPI_Comm_set_attr(comm, comm_key, facts);
  return facts;
}

/* Finds what is known of a communicator. Returns false for one that MPI will refuse. */
static bool look_up(MPI_Comm comm, struct communicator** facts) {
  void* value = NULL;
  int has = 0;
  if (IS_NULL(comm, MPI_COMM_NULL) ||
      PMPI_Comm_get_attr(comm, comm_key, &value, &has) != MPI_SUCCESS) {
    return false;
  }
  *facts = has ? value : NULL;
  return true;
}

struct communicator* communicator_of(MPI_Comm comm) {
  struct communicator* facts = facts_of_latest;
  if (comm == latest && facts != NULL) return facts;
  facts = NULL;
  if (!look_up(comm, &facts)) return NULL;
  if (facts == NULL) facts = facts_made(comm, (struct origin){.depth = unseen_depth});
  if (!facts->defined) {
    facts->defined = true;
    int inter = 0;
    PMPI_Comm_test_inter(comm, &inter);
    facts->foreign = inter != 0;
    PMPI_Comm_rank(comm, &facts->rank);
    PMPI_Comm_size(comm, &facts->size);
    if (!facts->foreign) facts->foreign = !define_members(comm, facts);
  }
  latest = comm;
  facts_of_latest = facts;
  return facts;
}

/* A reduction that has not completed may still use the facts of a communicator that has had any,
   so these stay. The caller, MPI_Comm_free, may have a lock of MPI, so this must not wait for that
   of the recorder. */
static int forget(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)extra;
  struct communicator* const facts = value;
  if (!recorder_is_shared()) ++handles_changed;
  struct communicator* expected = facts;
  atomic_compare_exchange_strong(&facts_of_latest, &expected, NULL);
  if (!facts->defined) free(facts);
  return MPI_SUCCESS;
}

void communicators_start(void) {
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &comm_key, NULL);
  /* Their numbers do not depend on which one a program uses first. */
  facts_made(MPI_COMM_WORLD, (struct origin){.identity = 0});
  facts_made(MPI_COMM_SELF, (struct origin){.numbers = 1, .path = {self_number}, .identity = 1});
  communicator_of(MPI_COMM_WORLD);
  communicator_of(MPI_COMM_SELF);
}

/* Origins. All ranks of a communicator make the next one from it in one sequence, whatever else
   their threads do, so its number among these is the same everywhere. */

enum how { on_all, in_group, between_groups };

static uint64_t mixed(uint64_t seed, const void* data, size_t bytes) {
  return XXH3_64bits_withSeed(data, bytes, seed);
}

static struct origin child_of(struct origin parent, enum how how, uint32_t number) {
  const uint32_t part[] = {(uint32_t)how, number};
  struct origin made = parent;
  ++made.depth;
  made.identity = mixed(parent.identity, part, sizeof part);
  if (made.numbers == most_path) {
    uint32_t* const second_half = made.path + most_path / 2;
    memmove(second_half, second_half + 1, (most_path / 2 - 1) * sizeof *second_half);
    --made.numbers;
  }
  made.path[made.numbers++] = number;
  return made;
}

/* How often each key was counted before. */
static struct table counts;

static uint32_t counted(uint64_t key) {
  const uintptr_t nonzero = (uintptr_t)key | 1;
  const struct entry* const known = find(&counts, nonzero);
  const uint32_t before = known == NULL ? 0 : known->value;
  insert(&counts, nonzero, before + 1);
  return before;
}

static uint64_t with_members(uint64_t seed, MPI_Group group) {
  size_t count = 0;
  struct members* const runs = runs_of(group, &count);
  const uint64_t result = mixed(seed, runs, count * sizeof *runs);
  free(runs);
  return result;
}

/* Puts the origin of the parent into `creation`. The caller has the lock. */
static struct communicator* parent_of(struct creation* creation, MPI_Comm parent) {
  struct communicator* facts = NULL;
  if (look_up(parent, &facts) && facts != NULL && facts->origin.depth != unseen_depth) {
    creation->known = true;
    creation->origin = facts->origin;
  }
  return facts;
}

struct creation creation_on_all(MPI_Comm parent) {
  struct creation creation = {.known = false};
  recorder_lock();
  struct communicator* const facts = parent_of(&creation, parent);
  if (creation.known) creation.origin = child_of(facts->origin, on_all, facts->children++);
  recorder_unlock();
  return creation;
}

struct creation creation_in_group(MPI_Comm parent, MPI_Group group, int tag) {
  struct creation creation = {.known = false};
  recorder_lock();
  parent_of(&creation, parent);
  if (creation.known && !IS_NULL(group, MPI_GROUP_NULL)) {
    /* Threads may make communicators of other tags at the same time. */
    creation.origin.identity = mixed(creation.origin.identity, &tag, sizeof tag);
    const uint64_t key = with_members(creation.origin.identity, group);
    creation.origin = child_of(creation.origin, in_group, counted(key));
  }
  recorder_unlock();
  return creation;
}

struct creation creation_between(int tag) {
  return (struct creation){.known = true, .between = true, .tag = tag};
}

/* Both groups find the same origin: that of the group with the lower first rank comes first. */
static struct origin origin_between(MPI_Comm made, int tag) {
  MPI_Group groups[2];
  PMPI_Comm_group(made, &groups[0]);
  PMPI_Comm_remote_group(made, &groups[1]);
  int first[2];
  const int zero[] = {0, 0};
  MPI_Group world;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  for (int i = 0; i < 2; ++i) PMPI_Group_translate_ranks(groups[i], 1, zero, world, &first[i]);
  const int lower = first[0] < first[1] ? 0 : 1;
  uint64_t key = mixed(0, &tag, sizeof tag);
  key = with_members(key, groups[lower]);
  key = with_members(key, groups[1 - lower]);
  PMPI_Group_free(&groups[0]);
  PMPI_Group_free(&groups[1]);
  PMPI_Group_free(&world);
  /* In the sequence of their tags, whatever the groups are. */
  const struct origin of_tag =
      child_of((struct origin){.identity = key}, between_groups, (uint32_t)tag);
  return child_of(of_tag, between_groups, counted(key));
}

void creation_end(const struct creation* creation, MPI_Comm made) {
  if (!creation->known || IS_NULL(made, MPI_COMM_NULL)) return;
  recorder_lock();
  facts_made(made, creation->between ? origin_between(made, creation->tag) : creation->origin);
  recorder_unlock();
}
