/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * base's softIoc.dbd, as data. The build says where it is.
 */
        .section .rodata
        .global softioc_dbd
softioc_dbd:
        .incbin RTS_SOFTIOC_DBD
        .global softioc_dbd_end
softioc_dbd_end:
