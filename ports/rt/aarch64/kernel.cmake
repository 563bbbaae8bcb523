# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# rt's AArch64 part as it is compiled: its header of the interrupt controller, and its entries with a fix.
list(APPEND kernel_includes ${RTSTONE_KERNEL_SOURCE}/arch/aarch64/gic)

# Two ways out of a pended call count its nesting in x3 once x3 is the interrupted task's again, and so lose it. lr is free there: it is
# loaded after. The fetched sources stay as they are; two places must be found, no more and no fewer.
set(kernel_patch "entry of pended calls: the way out counts in lr in place of x3, which is the interrupted task's (2 places)")
set(entry ${RTSTONE_KERNEL_SOURCE}/arch/aarch64/syscall.S)
set(kernel_entry ${CMAKE_CURRENT_BINARY_DIR}/syscall.S)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${entry})
file(READ ${entry} text)
string(REGEX MATCHALL "syscall_sgi_eoir\n +irq_nest_dec x3\n" found "${text}")
list(LENGTH found places)
if(NOT places EQUAL 2)
  message(FATAL_ERROR "rt's syscall.S has ${places} places to mend, not 2")
endif()
string(REGEX REPLACE "(syscall_sgi_eoir\n +irq_nest_dec) x3\n" "\\1 lr\n" text "${text}")
file(WRITE ${kernel_entry} "${text}")
