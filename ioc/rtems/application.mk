# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# For the Makefile of a folder of an EPICS application: builds the library `rtstone` for RTEMS, and installs its definitions and databases.
# docs/how-to/measure-inside-your-rtems-ioc.md
RTSTONE := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))../..)
RTSTONE_BOARD ?= $(RTSTONE)/boards/zynq-a9

SRC_DIRS += $(RTSTONE)/ioc/support $(RTSTONE)/ioc/samplers $(RTSTONE)/ioc/rtems $(RTSTONE)/engine/measurements/common
SRC_DIRS += $(RTSTONE)/ports/rtems $(RTSTONE)/boards/common $(RTSTONE_BOARD) $(RTSTONE)/ioc/database

LIBRARY_IOC_RTEMS = rtstone
rtstone_SRCS += device.c figures.c health.c health_rtems.c interface.c manager.c port.c port_set.c port_thread.c ports.c
rtstone_SRCS += settings.c shell.c standing.c standing_rtems.c statistics.c strict.c
rtstone_SRCS += engine.c interrupts.c stream.c chain.c rtems.c sync.c threads.c board.c timer.c
# A task of ports/rtems has room for what measures; the samplers' task prints, too.
rtstone_CFLAGS += -std=gnu11 -DUSE_TYPED_RSET -DRTS_RTEMS_STACK_BYTES=16384u

USR_INCLUDES += $(addprefix -I$(RTSTONE)/,ioc/include ioc/support ioc/samplers engine/include engine/src engine/measurements/common)
USR_INCLUDES += $(addprefix -I$(RTSTONE)/,ports/rtems/include ports/rtems boards/common/include) -I$(RTSTONE_BOARD)/include

DBD += rtstone.dbd
DB += port.db parameter.db health.db
DB_INSTALLS += $(RTSTONE)/ioc/rtems/rtstone.cmd
