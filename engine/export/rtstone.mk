# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# The engine as $(RTSTONE_LIBRARY), for GNU make: include this file. CC, AR, CPPFLAGS and CFLAGS are yours.
# It is two archives, in this order: the second has the optional hooks that your port leaves out.
#
# RTSTONE_PORT: the folder of your port (default: port/ beside this file). Its main.c is left to your program.
# RTSTONE_BUILD: where objects go (default: build/rtstone).
# RTSTONE_INCLUDES: what a file of yours that uses the engine must be compiled with.
rtstone_goal := $(.DEFAULT_GOAL)
RTSTONE_DIR := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
RTSTONE_PORT ?= $(RTSTONE_DIR)/port
RTSTONE_BUILD ?= build/rtstone
RTSTONE_LIBRARY := $(RTSTONE_BUILD)/librtstone.a $(RTSTONE_BUILD)/librtstone_absent.a
RTSTONE_INCLUDES := -I$(RTSTONE_DIR)/engine/include -I$(RTSTONE_PORT)/include

rtstone_core := $(shell cat $(RTSTONE_DIR)/sources.txt)
rtstone_port := $(filter-out main.c,$(notdir $(wildcard $(RTSTONE_PORT)/*.c)))
rtstone_core_objects := $(rtstone_core:%.c=$(RTSTONE_BUILD)/%.o)
rtstone_absent_objects := $(RTSTONE_BUILD)/engine/absent/hooks.o
rtstone_port_objects := $(rtstone_port:%.c=$(RTSTONE_BUILD)/port/%.o)

$(RTSTONE_BUILD)/librtstone.a: $(rtstone_core_objects) $(rtstone_port_objects)
	$(RM) $@
	$(AR) rcs $@ $^

$(RTSTONE_BUILD)/librtstone_absent.a: $(rtstone_absent_objects)
	$(RM) $@
	$(AR) rcs $@ $^

# The core is freestanding; only the port may use what its kernel offers.
$(rtstone_core_objects) $(rtstone_absent_objects): $(RTSTONE_BUILD)/%.o: $(RTSTONE_DIR)/%.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -ffreestanding $(RTSTONE_INCLUDES) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(rtstone_port_objects): $(RTSTONE_BUILD)/port/%.o: $(RTSTONE_PORT)/%.c
	@mkdir -p $(@D)
	$(CC) -std=c11 $(RTSTONE_INCLUDES) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

-include $(rtstone_core_objects:.o=.d) $(rtstone_absent_objects:.o=.d) $(rtstone_port_objects:.o=.d)
.DEFAULT_GOAL := $(rtstone_goal)
