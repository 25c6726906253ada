! SPDX-License-Identifier: MIT

!> Interface to C of the module `bracket`: the constants and results of bracket.h, the functions that
!> the module calls, and their arguments. They must match descriptors.h, reducers.c, accumulators.c and bracket.h.
module bracket_interface
  use, intrinsic :: iso_c_binding
  implicit none
  private :: c_char, c_int, c_int32_t, c_int64_t, c_size_t, c_ptr, c_float, c_double

  !> Values of `stat`; see bracket.h.
  integer, parameter :: bracket_ok = 0, bracket_bad_input = 1, bracket_collective = 2, &
                        bracket_no_memory = 3, bracket_internal = 4

  !> Operators. Complex numbers have sum, product and digest.
  integer, parameter :: bracket_sum = 201, bracket_product = 202, bracket_minimum = 203, &
                        bracket_maximum = 204, bracket_minimum_location = 205, &
                        bracket_maximum_location = 206, bracket_digest = 207

  !> Results of the locations: the element and its position among all ranks' elements, from 1 on.
  !> Without elements the position is 0, as for `maxloc`.
  type, bind(c) :: bracket_located_int32
    integer(c_int32_t) :: value
    integer(c_int64_t) :: index
  end type
  type, bind(c) :: bracket_located_int64
    integer(c_int64_t) :: value
    integer(c_int64_t) :: index
  end type
  type, bind(c) :: bracket_located_real32
    real(c_float) :: value
    integer(c_int64_t) :: index
  end type
  type, bind(c) :: bracket_located_real64
    real(c_double) :: value
    integer(c_int64_t) :: index
  end type

  !> Results of the digest; see bracket.h. Only their bits have a meaning, not their signs.
  type, bind(c) :: bracket_digests
    integer(c_int64_t) :: set
    integer(c_int64_t) :: sequence
  end type

  type, bind(c) :: array_view
    type(c_ptr) :: address
    integer(c_int64_t) :: bytes
    integer(c_int) :: type, problem, dimensions
    integer(c_int64_t) :: extents(5), strides(5)
  end type

  type, bind(c) :: c_field
    type(array_view) :: elements, factors
    integer(c_int) :: has_factors, boundary_count
    type(c_ptr) :: boundaries
    integer(c_int) :: op, by_function
    type(c_funptr) :: make
    type(c_ptr) :: context
  end type

  type, bind(c) :: c_settings
    integer(c_int64_t) :: bytes
    integer(c_int) :: widened, checked, rooted, root, threads
    type(c_ptr) :: algorithm, plan, kernel, memory, planned
  end type

  interface
    subroutine c_view(array, view) bind(c, name='bracket_fortran_view')
      import :: array_view
      type(*), dimension(..), intent(in) :: array
      type(array_view), intent(out) :: view
    end subroutine
    integer(c_int) function c_create(communicator, op, join, context, fields, count, settings, &
                                     handle) bind(c, name='bracket_fortran_create')
      import :: c_int, c_int64_t, c_field, c_settings, c_ptr, c_funptr
      integer(c_int), value :: communicator, op
      type(c_funptr), value :: join
      type(c_ptr), value :: context
      type(c_field), intent(in) :: fields(*)
      integer(c_int64_t), value :: count
      type(c_settings), intent(in) :: settings
      type(c_ptr), intent(inout) :: handle
    end function
    integer(c_int) function c_start(handle, fields, count, results) &
        bind(c, name='bracket_fortran_start')
      import :: c_int, c_int64_t, c_field, array_view, c_ptr
      type(c_ptr), value :: handle
      type(c_field), intent(in) :: fields(*)
      integer(c_int64_t), value :: count
      type(array_view), intent(in) :: results
    end function
    integer(c_int) function c_test(handle, complete) bind(c, name='bracket_fortran_test')
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), intent(out) :: complete
    end function
    integer(c_int) function c_wait(handle) bind(c, name='bracket_fortran_wait')
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
    end function
    integer(c_int) function c_free(handle) bind(c, name='bracket_fortran_free')
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: handle
    end function
    type(c_ptr) function c_reducer(handle) bind(c, name='bracket_fortran_reducer')
      import :: c_ptr
      type(c_ptr), value :: handle
    end function
    integer(c_int) function c_held(reducer, field, first, last) &
        bind(c, name='bracket_reducer_held')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reducer
      integer(c_int64_t), value :: field
      integer(c_int64_t), intent(out) :: first, last
    end function
    integer(c_int) function c_elements(reducer, field, elements) &
        bind(c, name='bracket_reducer_elements')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reducer
      integer(c_int64_t), value :: field
      integer(c_int64_t), intent(out) :: elements
    end function
    integer(c_int) function c_accuracy(reducer, field, digits, cancellations) &
        bind(c, name='bracket_reducer_accuracy')
      import :: c_int, c_int64_t, c_double, c_ptr
      type(c_ptr), value :: reducer
      integer(c_int64_t), value :: field
      real(c_double), intent(out) :: digits
      integer(c_int64_t), intent(out) :: cancellations
    end function
    integer(c_int) function c_delivers(reducer, delivers) &
        bind(c, name='bracket_reducer_delivers')
      import :: c_int, c_ptr
      type(c_ptr), value :: reducer
      integer(c_int), intent(out) :: delivers
    end function
    integer(c_int) function c_messages_sent(reducer, messages) &
        bind(c, name='bracket_reducer_messages_sent')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reducer
      integer(c_int64_t), intent(out) :: messages
    end function
    integer(c_int) function c_accumulator_create(like, op, first, settings, handle) &
        bind(c, name='bracket_fortran_accumulator_create')
      import :: c_int, c_int64_t, array_view, c_settings, c_ptr
      type(array_view), intent(in) :: like
      integer(c_int), value :: op
      integer(c_int64_t), value :: first
      type(c_settings), intent(in) :: settings
      type(c_ptr), intent(inout) :: handle
    end function
    integer(c_int) function c_accumulator_add(handle, elements) &
        bind(c, name='bracket_fortran_accumulator_add')
      import :: c_int, array_view, c_ptr
      type(c_ptr), value :: handle
      type(array_view), intent(in) :: elements
    end function
    integer(c_int) function c_accumulator_add_other(handle, other) &
        bind(c, name='bracket_fortran_accumulator_add_other')
      import :: c_int, c_ptr
      type(c_ptr), value :: handle, other
    end function
    integer(c_int) function c_accumulator_count(handle, count) &
        bind(c, name='bracket_fortran_accumulator_count')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      integer(c_int64_t), intent(out) :: count
    end function
    integer(c_int) function c_accumulator_reset(handle, first) &
        bind(c, name='bracket_fortran_accumulator_reset')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      integer(c_int64_t), value :: first
    end function
    integer(c_int) function c_accumulator_value(handle, result) &
        bind(c, name='bracket_fortran_accumulator_value')
      import :: c_int, array_view, c_ptr
      type(c_ptr), value :: handle
      type(array_view), intent(in) :: result
    end function
    integer(c_int) function c_accumulator_reduce(handle, communicator, result) &
        bind(c, name='bracket_fortran_accumulator_reduce')
      import :: c_int, array_view, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: communicator
      type(array_view), intent(in) :: result
    end function
    integer(c_int) function c_accumulator_free(handle) &
        bind(c, name='bracket_fortran_accumulator_free')
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: handle
    end function
    integer(c_int) function c_planned_read(communicator, path, elements, planned) &
        bind(c, name='bracket_fortran_planned_read')
      import :: c_int, c_int64_t, c_char, c_ptr
      integer(c_int), value :: communicator
      character(c_char), intent(in) :: path(*)
      integer(c_int64_t), value :: elements
      type(c_ptr), intent(inout) :: planned
    end function
    integer(c_int) function c_planned_held(planned, first, last) &
        bind(c, name='bracket_planned_held')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: planned
      integer(c_int64_t), intent(out) :: first, last
    end function
    subroutine c_planned_free(planned) bind(c, name='bracket_planned_free')
      import :: c_ptr
      type(c_ptr), intent(inout) :: planned
    end subroutine
    type(c_ptr) function c_message() bind(c, name='bracket_fortran_message')
      import :: c_ptr
    end function
    integer(c_size_t) function c_strlen(words) bind(c, name='strlen')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: words
    end function
    subroutine c_abort() bind(c, name='bracket_fortran_abort')
    end subroutine
  end interface

end module
