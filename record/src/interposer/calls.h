/* SPDX-License-Identifier: MIT */

/* The functions of which only the time is recorded: name, name in Fortran, number of parameters in
   Fortran, parameters in C and their names. Define CALL before this file is included. */

CALL(Send, send, 7, (const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f),
     (a, b, c, d, e, f))
CALL(Bsend, bsend, 7, (const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f),
     (a, b, c, d, e, f))
CALL(Ssend, ssend, 7, (const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f),
     (a, b, c, d, e, f))
CALL(Rsend, rsend, 7, (const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f),
     (a, b, c, d, e, f))
CALL(Recv, recv, 8, (void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Status* g),
     (a, b, c, d, e, f, g))
CALL(Isend, isend, 8,
     (const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g),
     (a, b, c, d, e, f, g))
CALL(Ibsend, ibsend, 8,
     (const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g),
     (a, b, c, d, e, f, g))
CALL(Issend, issend, 8,
     (const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g),
     (a, b, c, d, e, f, g))
CALL(Irsend, irsend, 8,
     (const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g),
     (a, b, c, d, e, f, g))
CALL(Irecv, irecv, 8, (void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g),
     (a, b, c, d, e, f, g))
CALL(Sendrecv, sendrecv, 13,
     (const void* a, int b, MPI_Datatype c, int d, int e, void* f, int g, MPI_Datatype h, int i,
      int j, MPI_Comm k, MPI_Status* l),
     (a, b, c, d, e, f, g, h, i, j, k, l))
CALL(Sendrecv_replace, sendrecv_replace, 10,
     (void* a, int b, MPI_Datatype c, int d, int e, int f, int g, MPI_Comm h, MPI_Status* i),
     (a, b, c, d, e, f, g, h, i))
CALL(Probe, probe, 5, (int a, int b, MPI_Comm c, MPI_Status* d), (a, b, c, d))
CALL(Iprobe, iprobe, 6, (int a, int b, MPI_Comm c, int* d, MPI_Status* e), (a, b, c, d, e))
CALL(Mprobe, mprobe, 6, (int a, int b, MPI_Comm c, MPI_Message* d, MPI_Status* e), (a, b, c, d, e))
CALL(Improbe, improbe, 7, (int a, int b, MPI_Comm c, int* d, MPI_Message* e, MPI_Status* f),
     (a, b, c, d, e, f))
CALL(Mrecv, mrecv, 6, (void* a, int b, MPI_Datatype c, MPI_Message* d, MPI_Status* e),
     (a, b, c, d, e))
CALL(Imrecv, imrecv, 6, (void* a, int b, MPI_Datatype c, MPI_Message* d, MPI_Request* e),
     (a, b, c, d, e))
CALL(Barrier, barrier, 2, (MPI_Comm a), (a))
CALL(Bcast, bcast, 6, (void* a, int b, MPI_Datatype c, int d, MPI_Comm e), (a, b, c, d, e))
CALL(Gather, gather, 9,
     (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, int g, MPI_Comm h),
     (a, b, c, d, e, f, g, h))
CALL(Gatherv, gatherv, 10,
     (const void* a, int b, MPI_Datatype c, void* d, const int e[], const int f[], MPI_Datatype g,
      int h, MPI_Comm i),
     (a, b, c, d, e, f, g, h, i))
CALL(Scatter, scatter, 9,
     (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, int g, MPI_Comm h),
     (a, b, c, d, e, f, g, h))
CALL(Scatterv, scatterv, 10,
     (const void* a, const int b[], const int c[], MPI_Datatype d, void* e, int f, MPI_Datatype g,
      int h, MPI_Comm i),
     (a, b, c, d, e, f, g, h, i))
CALL(Allgather, allgather, 8,
     (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, MPI_Comm g),
     (a, b, c, d, e, f, g))
CALL(Allgatherv, allgatherv, 9,
     (const void* a, int b, MPI_Datatype c, void* d, const int e[], const int f[], MPI_Datatype g,
      MPI_Comm h),
     (a, b, c, d, e, f, g, h))
CALL(Alltoall, alltoall, 8,
     (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, MPI_Comm g),
     (a, b, c, d, e, f, g))
CALL(Alltoallv, alltoallv, 10,
     (const void* a, const int b[], const int c[], MPI_Datatype d, void* e, const int f[],
      const int g[], MPI_Datatype h, MPI_Comm i),
     (a, b, c, d, e, f, g, h, i))
CALL(Alltoallw, alltoallw, 10,
     (const void* a, const int b[], const int c[], const MPI_Datatype d[], void* e, const int f[],
      const int g[], const MPI_Datatype h[], MPI_Comm i),
     (a, b, c, d, e, f, g, h, i))
CALL(Ibarrier, ibarrier, 3, (MPI_Comm a, MPI_Request* b), (a, b))
CALL(Ibcast, ibcast, 7, (void* a, int b, MPI_Datatype c, int d, MPI_Comm e, MPI_Request* f),
     (a, b, c, d, e, f))
CALL(Igather, igather, 10,
     (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, int g, MPI_Comm h,
      MPI_Request* i),
     (a, b, c, d, e, f, g, h, i))
CALL(Igatherv, igatherv, 11,
     (const void* a, int b, MPI_Datatype c, void* d, const int e[], const int f[], MPI_Datatype g,
      int h, MPI_Comm i, MPI_Request* j),
     (a, b, c, d, e, f, g, h, i, j))
CALL(Iscatter, iscatter, 10,
     (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, int g, MPI_Comm h,
      MPI_Request* i),
     (a, b, c, d, e, f, g, h, i))
CALL(Iscatterv, iscatterv, 11,
     (const void* a, const int b[], const int c[], MPI_Datatype d, void* e, int f, MPI_Datatype g,
      int h, MPI_Comm i, MPI_Request* j),
     (a, b, c, d, e, f, g, h, i, j))
CALL(Iallgather, iallgather, 9,
     (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, MPI_Comm g,
      MPI_Request* h),
     (a, b, c, d, e, f, g, h))
CALL(Iallgatherv, iallgatherv, 10,
     (const void* a, int b, MPI_Datatype c, void* d, const int e[], const int f[], MPI_Datatype g,
      MPI_Comm h, MPI_Request* i),
     (a, b, c, d, e, f, g, h, i))
CALL(Ialltoall, ialltoall, 9,
     (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, MPI_Comm g,
      MPI_Request* h),
     (a, b, c, d, e, f, g, h))
CALL(Ialltoallv, ialltoallv, 11,
     (const void* a, const int b[], const int c[], MPI_Datatype d, void* e, const int f[],
      const int g[], MPI_Datatype h, MPI_Comm i, MPI_Request* j),
     (a, b, c, d, e, f, g, h, i, j))
CALL(Ialltoallw, ialltoallw, 11,
     (const void* a, const int b[], const int c[], const MPI_Datatype d[], void* e, const int f[],
      const int g[], const MPI_Datatype h[], MPI_Comm i, MPI_Request* j),
     (a, b, c, d, e, f, g, h, i, j))
CALL(Neighbor_allgather, neighbor_allgather, 8,
     (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, MPI_Comm g),
     (a, b, c, d, e, f, g))
CALL(Neighbor_allgatherv, neighbor_allgatherv, 9,
     (const void* a, int b, MPI_Datatype c, void* d, const int e[], const int f[], MPI_Datatype g,
      MPI_Comm h),
     (a, b, c, d, e, f, g, h))
CALL(Neighbor_alltoall, neighbor_alltoall, 8,
     (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, MPI_Comm g),
     (a, b, c, d, e, f, g))
CALL(Neighbor_alltoallv, neighbor_alltoallv, 10,
     (const void* a, const int b[], const int c[], MPI_Datatype d, void* e, const int f[],
      const int g[], MPI_Datatype h, MPI_Comm i),
     (a, b, c, d, e, f, g, h, i))
CALL(Neighbor_alltoallw, neighbor_alltoallw, 10,
     (const void* a, const int b[], const MPI_Aint c[], const MPI_Datatype d[], void* e,
      const int f[], const MPI_Aint g[], const MPI_Datatype h[], MPI_Comm i),
     (a, b, c, d, e, f, g, h, i))
CALL(Ineighbor_allgather, ineighbor_allgather, 9,
     (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, MPI_Comm g,
      MPI_Request* h),
     (a, b, c, d, e, f, g, h))
CALL(Ineighbor_allgatherv, ineighbor_allgatherv, 10,
     (const void* a, int b, MPI_Datatype c, void* d, const int e[], const int f[], MPI_Datatype g,
      MPI_Comm h, MPI_Request* i),
     (a, b, c, d, e, f, g, h, i))
CALL(Ineighbor_alltoall, ineighbor_alltoall, 9,
     (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, MPI_Comm g,
      MPI_Request* h),
     (a, b, c, d, e, f, g, h))
CALL(Ineighbor_alltoallv, ineighbor_alltoallv, 11,
     (const void* a, const int b[], const int c[], MPI_Datatype d, void* e, const int f[],
      const int g[], MPI_Datatype h, MPI_Comm i, MPI_Request* j),
     (a, b, c, d, e, f, g, h, i, j))
CALL(Ineighbor_alltoallw, ineighbor_alltoallw, 11,
     (const void* a, const int b[], const MPI_Aint c[], const MPI_Datatype d[], void* e,
      const int f[], const MPI_Aint g[], const MPI_Datatype h[], MPI_Comm i, MPI_Request* j),
     (a, b, c, d, e, f, g, h, i, j))
CALL(Reduce_local, reduce_local, 6, (const void* a, void* b, int c, MPI_Datatype d, MPI_Op e),
     (a, b, c, d, e))
CALL(Put, put, 9,
     (const void* a, int b, MPI_Datatype c, int d, MPI_Aint e, int f, MPI_Datatype g, MPI_Win h),
     (a, b, c, d, e, f, g, h))
CALL(Get, get, 9,
     (void* a, int b, MPI_Datatype c, int d, MPI_Aint e, int f, MPI_Datatype g, MPI_Win h),
     (a, b, c, d, e, f, g, h))
CALL(Accumulate, accumulate, 10,
     (const void* a, int b, MPI_Datatype c, int d, MPI_Aint e, int f, MPI_Datatype g, MPI_Op h,
      MPI_Win i),
     (a, b, c, d, e, f, g, h, i))
CALL(Get_accumulate, get_accumulate, 13,
     (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, int g, MPI_Aint h,
      int i, MPI_Datatype j, MPI_Op k, MPI_Win l),
     (a, b, c, d, e, f, g, h, i, j, k, l))
CALL(Fetch_and_op, fetch_and_op, 8,
     (const void* a, void* b, MPI_Datatype c, int d, MPI_Aint e, MPI_Op f, MPI_Win g),
     (a, b, c, d, e, f, g))
CALL(Compare_and_swap, compare_and_swap, 8,
     (const void* a, const void* b, void* c, MPI_Datatype d, int e, MPI_Aint f, MPI_Win g),
     (a, b, c, d, e, f, g))
CALL(Win_fence, win_fence, 3, (int a, MPI_Win b), (a, b))
CALL(Win_lock, win_lock, 5, (int a, int b, int c, MPI_Win d), (a, b, c, d))
CALL(Win_lock_all, win_lock_all, 3, (int a, MPI_Win b), (a, b))
CALL(Win_unlock, win_unlock, 3, (int a, MPI_Win b), (a, b))
CALL(Win_unlock_all, win_unlock_all, 2, (MPI_Win a), (a))
CALL(Win_flush, win_flush, 3, (int a, MPI_Win b), (a, b))
CALL(Win_flush_all, win_flush_all, 2, (MPI_Win a), (a))
CALL(Win_start, win_start, 4, (MPI_Group a, int b, MPI_Win c), (a, b, c))
CALL(Win_complete, win_complete, 2, (MPI_Win a), (a))
CALL(Win_post, win_post, 4, (MPI_Group a, int b, MPI_Win c), (a, b, c))
CALL(Win_wait, win_wait, 2, (MPI_Win a), (a))
CALL(Comm_free, comm_free, 2, (MPI_Comm * a), (a))
