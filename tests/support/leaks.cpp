// SPDX-License-Identifier: MIT

/// LeakSanitizer reads this. Graphviz does not free the labels of a graph whose nodes are placed,
/// and the font libraries do not free memory that they keep for the process, nor does the OpenMP
/// library of Clang. A graph that we do not close is still found, since libcgraph allocates it. With
/// Clang, leaks in parallel loops are hidden; with GCC's OpenMP library, they are found.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libgvc\n"
         "leak:libgvplugin\n"
         "leak:libpango\n"
         "leak:libfontconfig\n"
         "leak:libcairo\n"
         "leak:libglib\n"
         "leak:libexpat\n"
         "leak:libomp.so\n";
}
