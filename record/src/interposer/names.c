/* SPDX-License-Identifier: MIT */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

static struct entry* slot_of(const struct table* table, uintptr_t key) {
  size_t at = (size_t)((uint64_t)key * 0x9E3779B97F4A7C15u >> 20) & (table->capacity - 1);
  while (table->entries[at].key != 0 && table->entries[at].key != key) {
    at = (at + 1) & (table->capacity - 1);
  }
  return &table->entries[at];
}

void insert(struct table* table, uintptr_t key, uint32_t value) {
  if (2 * (table->used + 1) > table->capacity) {
    const struct table old = *table;
    table->capacity = old.capacity == 0 ? 256 : 2 * old.capacity;
    table->entries = calloc(table->capacity, sizeof *table->entries);
    if (table->entries == NULL) abort();
    for (size_t i = 0; i < old.capacity; ++i) {
      if (old.entries[i].key != 0) *slot_of(table, old.entries[i].key) = old.entries[i];
    }
    free(old.entries);
  }
  struct entry* const slot = slot_of(table, key);
  if (slot->key == 0) ++table->used;
  *slot = (struct entry){key, value};
}

const struct entry* find(const struct table* table, uintptr_t key) {
  if (table->used == 0) return NULL;
  const struct entry* const slot = slot_of(table, key);
  return slot->key == 0 ? NULL : slot;
}

/* Handles are pointers or integers. No valid handle is 0 in MPICH or Open MPI. */
#define KEY(handle) ((uintptr_t)(handle))

static uint32_t shortened(const char* name) {
  const size_t length = strlen(name);
  return (uint32_t)(length < most_name ? length : most_name);
}

/* Definitions of each kind so far. */
static uint32_t defined[kind_end];

uint32_t define(enum kind kind, struct definition definition, const void* first,
                uint32_t first_bytes, const char* second) {
  definition.head.kind = (uint16_t)kind;
  definition.id = defined[kind]++;
  definition.first = first_bytes;
  definition.second = shortened(second);
  buffer_append(&definition.head, sizeof definition, first, first_bytes, second, definition.second);
  return definition.id;
}

static uint32_t define_named(enum kind kind, struct definition definition, const char* name) {
  return define(kind, definition, name, shortened(name), "");
}

/* Names of other calls. */

static const char** calls;

uint32_t call_named(const char* name) {
  for (uint32_t i = 0; i < defined[kind_call]; ++i) {
    if (strcmp(calls[i], name) == 0) return i;
  }
  const uint32_t id = define_named(kind_call, (struct definition){.id = 0}, name);
  calls = realloc(calls, (id + 1) * sizeof *calls);
  if (calls == NULL) abort();
  calls[id] = name;
  return id;
}

/* Sites. */

static struct table sites;

uint32_t site_of(void* address) {
  const struct entry* const known = find(&sites, (uintptr_t)address);
  if (known != NULL) return known->value;
  Dl_info info = {.dli_fname = NULL};
  struct definition definition = {.offset = (uintptr_t)address};
  const char* object = "";
  const char* symbol = "";
  if (dladdr(address, &info) != 0 && info.dli_fname != NULL) {
    object = info.dli_fname;
    definition.offset = (uint64_t)((char*)address - (char*)info.dli_fbase);
    if (info.dli_sname != NULL) {
      symbol = info.dli_sname;
      definition.number = (uint32_t)((char*)address - (char*)info.dli_saddr);
    }
  }
  const uint32_t id = define(kind_site, definition, object, shortened(object), symbol);
  insert(&sites, (uintptr_t)address, id);
  return id;
}

/* Operators. */

static struct table ops;       /* their numbers */
static struct table functions; /* of the program's own operators: their sites */

uint32_t op_of(MPI_Op op) {
  const struct entry* const known = find(&ops, KEY(op));
  if (known != NULL) return known->value;
  /* Every other operator that MPI will not refuse is known by `op_created`. */
  const char* const name = predefined_op(op);
  const uint32_t id = define_named(kind_op, (struct definition){.number = name != NULL},
                                   name != NULL ? name : "unknown operator");
  insert(&ops, KEY(op), id);
  return id;
}

void op_created(MPI_Op op, void* function, int commutes) {
  ++handles_changed;
  Dl_info info = {.dli_fname = NULL};
  char name[512] = "own operator";
  if (dladdr(function, &info) != 0 && info.dli_fname != NULL) {
    const char* const slash = strrchr(info.dli_fname, '/');
    const char* const object = slash == NULL ? info.dli_fname : slash + 1;
    if (info.dli_sname != NULL && info.dli_saddr == function) {
      snprintf(name, sizeof name, "own operator %s", info.dli_sname);
    } else {
      snprintf(name, sizeof name, "own operator %s+0x%lx", object,
               (unsigned long)((char*)function - (char*)info.dli_fbase));
    }
  }
  /* A handle may be one that was freed. The same function is defined once. */
  const struct entry* const known = find(&functions, (uintptr_t)function);
  uint32_t id;
  if (known != NULL) {
    id = known->value;
  } else {
    id = define_named(kind_op, (struct definition){.number = commutes != 0}, name);
    insert(&functions, (uintptr_t)function, id);
  }
  insert(&ops, KEY(op), id);
}

/* Types. */

static struct type_facts* types;
static struct table types_by_handle; /* predefined types */
static int type_key = MPI_KEYVAL_INVALID;

/* The numbers in a type; element_other if it has several kinds of them. */
static struct part part_of(MPI_Datatype type) {
  int integers, addresses, others, combiner, size;
  PMPI_Type_get_envelope(type, &integers, &addresses, &others, &combiner);
  PMPI_Type_size(type, &size);
  if (others == 0 || combiner == MPI_COMBINER_NAMED) return part_of_predefined(type, size);
  int* const integer = malloc(((size_t)integers + 1) * sizeof *integer);
  MPI_Aint* const address = malloc(((size_t)addresses + 1) * sizeof *address);
  MPI_Datatype* const other = malloc((size_t)others * sizeof *other);
  if (integer == NULL || address == NULL || other == NULL) abort();
  PMPI_Type_get_contents(type, integers, addresses, others, integer, address, other);
  struct part part = {element_other, 0};
  for (int i = 0; i < others; ++i) {
    const struct part one = part_of(other[i]);
    if (i == 0) part = one;
    if (one.element != part.element || one.bytes != part.bytes) part.element = element_other;
    PMPI_Type_get_envelope(other[i], &integers, &addresses, &size, &combiner);
    if (combiner != MPI_COMBINER_NAMED) PMPI_Type_free(&other[i]);
  }
  free(integer);
  free(address);
  free(other);
  return part;
}

/* MPI has no function that says so, but a type that is not committed cannot be packed. */
static bool is_committed(MPI_Datatype type) {
  char none = 0;
  int position = 0;
  return PMPI_Pack(&none, 0, type, &none, 1, &position, quiet()) == MPI_SUCCESS;
}

static uint32_t define_type(MPI_Datatype type) {
  MPI_Count lower = 0;
  struct type_facts facts = {.id = 0};
  PMPI_Type_size_x(type, &facts.size);
  PMPI_Type_get_extent_x(type, &lower, &facts.extent);
  const struct part part = part_of(type);
  facts.element = part.element;
  int integers, addresses, others, combiner;
  PMPI_Type_get_envelope(type, &integers, &addresses, &others, &combiner);
  facts.committed = combiner == MPI_COMBINER_NAMED || is_committed(type);
  facts.contiguous = combiner == MPI_COMBINER_NAMED && lower == 0 && facts.extent == facts.size &&
                     part.element != element_extended;
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  PMPI_Type_get_name(type, name, &length);
  /* Open MPI names some derived types after the one that they are made from. */
  const bool automatic = combiner != MPI_COMBINER_NAMED && strncmp(name, "Dup ", 4) == 0;
  if (length == 0 || automatic) strcpy(name, "derived type");
  facts.id =
      define_named(kind_type,
                   (struct definition){
                       .number = part.bytes, .size = (uint32_t)facts.size, .element = part.element},
                   name);
  types = realloc(types, (facts.id + 1) * sizeof *types);
  if (types == NULL) abort();
  types[facts.id] = facts;
  return facts.id;
}

bool type_of(MPI_Datatype type, struct type_facts* facts) {
  const struct entry* const known = find(&types_by_handle, KEY(type));
  if (known != NULL) {
    *facts = types[known->value];
    return true;
  }
  void* value = NULL;
  int has = 0;
  if (PMPI_Type_get_attr(type, type_key, &value, &has) != MPI_SUCCESS) return false;
  if (has) {
    struct type_facts* const seen = &types[(uintptr_t)value];
    if (!seen->committed) seen->committed = is_committed(type);
    *facts = *seen;
    return true;
  }
  const uint32_t id = define_type(type);
  int integers, addresses, others, combiner;
  PMPI_Type_get_envelope(type, &integers, &addresses, &others, &combiner);
  if (combiner == MPI_COMBINER_NAMED) {
    insert(&types_by_handle, KEY(type), id);
  } else {
    PMPI_Type_set_attr(type, type_key, (void*)(uintptr_t)id);
  }
  *facts = types[id];
  return true;
}

static MPI_Comm quiet_self = MPI_COMM_NULL;

MPI_Comm quiet(void) { return quiet_self; }

void names_start(void) {
  PMPI_Comm_dup(MPI_COMM_SELF, &quiet_self);
  PMPI_Comm_set_errhandler(quiet_self, MPI_ERRORS_RETURN);
  PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &type_key, NULL);
  communicators_start();
}

void names_stop(void) { PMPI_Comm_free(&quiet_self); }
