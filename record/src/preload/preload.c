/* SPDX-License-Identifier: MIT */

#include "preload/preload.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void find_next(void* function, const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == NULL) {
    fprintf(stderr, "bracket: the MPI library has no %s\n", name);
    abort();
  }
  memcpy(function, &found, sizeof found);
}

static int note_foreign(struct dl_phdr_info* info, size_t size, void* result) {
  (void)size;
#ifdef OPEN_MPI
  static const char* const foreign[] = {"/libmpich.so", "/libmpi.so.12"};
#else
  static const char* const foreign[] = {"/libmpi.so.40", "/libopen-pal.so"};
#endif
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; ++i) {
    if (strstr(info->dlpi_name, foreign[i]) != NULL) *(const char**)result = info->dlpi_name;
  }
  return 0;
}

void refuse_foreign_library(const char* own) {
  static bool known;
  if (known) return;
  known = true;
  const char* foreign = NULL;
  dl_iterate_phdr(note_foreign, &foreign);
  if (foreign == NULL) return;
  fprintf(stderr,
          "bracket: the program uses %s, which is not the MPI library that this %s was built for; "
          "preload one that was built for it\n",
          foreign, own);
  exit(2);
}
