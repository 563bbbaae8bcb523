/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * base's softIoc.dbd, as data, and where the clients are on the host, the two records for them. The build says where the files are.
 */
        .section .rodata
        .global softioc_dbd
softioc_dbd:
        .incbin RTS_SOFTIOC_DBD
        .global softioc_dbd_end
softioc_dbd_end:
#if defined(RTS_RTEMS_IOC_LINK)
        .global account_dbd
account_dbd:
        .incbin RTS_ACCOUNT_DBD
        .global account_dbd_end
account_dbd_end:
        .global account_db
account_db:
        .incbin RTS_ACCOUNT_DB
        .global account_db_end
account_db_end:
#endif
