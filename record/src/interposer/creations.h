/* SPDX-License-Identifier: MIT */

/* The functions that make communicators: as in calls.h, then the parameter with the communicator
   that is made, and where it comes from. Define CREATION, and COMM, GROUP and INTEGER, which give
   the value of a parameter, before this file is included. */

CREATION(Comm_dup, comm_dup, 3, (MPI_Comm a, MPI_Comm* b), (a, b), b, creation_on_all(COMM(a)))
CREATION(Comm_dup_with_info, comm_dup_with_info, 4, (MPI_Comm a, MPI_Info b, MPI_Comm* c),
         (a, b, c), c, creation_on_all(COMM(a)))
CREATION(Comm_idup, comm_idup, 4, (MPI_Comm a, MPI_Comm* b, MPI_Request* c), (a, b, c), b,
         creation_on_all(COMM(a)))
CREATION(Comm_split, comm_split, 5, (MPI_Comm a, int b, int c, MPI_Comm* d), (a, b, c, d), d,
         creation_on_all(COMM(a)))
CREATION(Comm_split_type, comm_split_type, 6, (MPI_Comm a, int b, int c, MPI_Info d, MPI_Comm* e),
         (a, b, c, d, e), e, creation_on_all(COMM(a)))
CREATION(Comm_create, comm_create, 4, (MPI_Comm a, MPI_Group b, MPI_Comm* c), (a, b, c), c,
         creation_on_all(COMM(a)))
CREATION(Comm_create_group, comm_create_group, 5, (MPI_Comm a, MPI_Group b, int c, MPI_Comm* d),
         (a, b, c, d), d, creation_in_group(COMM(a), GROUP(b), INTEGER(c)))
CREATION(Cart_create, cart_create, 7,
         (MPI_Comm a, int b, const int c[], const int d[], int e, MPI_Comm* f), (a, b, c, d, e, f),
         f, creation_on_all(COMM(a)))
CREATION(Cart_sub, cart_sub, 4, (MPI_Comm a, const int b[], MPI_Comm* c), (a, b, c), c,
         creation_on_all(COMM(a)))
CREATION(Graph_create, graph_create, 7,
         (MPI_Comm a, int b, const int c[], const int d[], int e, MPI_Comm* f), (a, b, c, d, e, f),
         f, creation_on_all(COMM(a)))
CREATION(Dist_graph_create, dist_graph_create, 10,
         (MPI_Comm a, int b, const int c[], const int d[], const int e[], const int f[], MPI_Info g,
          int h, MPI_Comm* i),
         (a, b, c, d, e, f, g, h, i), i, creation_on_all(COMM(a)))
CREATION(Dist_graph_create_adjacent, dist_graph_create_adjacent, 11,
         (MPI_Comm a, int b, const int c[], const int d[], int e, const int f[], const int g[],
          MPI_Info h, int i, MPI_Comm* j),
         (a, b, c, d, e, f, g, h, i, j), j, creation_on_all(COMM(a)))
CREATION(Intercomm_create, intercomm_create, 7,
         (MPI_Comm a, int b, MPI_Comm c, int d, int e, MPI_Comm* f), (a, b, c, d, e, f), f,
         creation_between(INTEGER(e)))
CREATION(Intercomm_merge, intercomm_merge, 4, (MPI_Comm a, int b, MPI_Comm* c), (a, b, c), c,
         creation_on_all(COMM(a)))
#if MPI_VERSION >= 4
CREATION(Comm_idup_with_info, comm_idup_with_info, 5,
         (MPI_Comm a, MPI_Info b, MPI_Comm* c, MPI_Request* d), (a, b, c, d), c,
         creation_on_all(COMM(a)))
#endif
