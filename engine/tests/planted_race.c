/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A data race that the thread sanitizer must find: without it nothing would show that the sanitizer looks at our code at all.
 */
#include <pthread.h>
#include <stddef.h>

static unsigned counted;

static void *count(void *arg)
{
    counted++;
    return arg;
}

int main(void)
{
    pthread_t other;
    if (pthread_create(&other, NULL, count, NULL) != 0) {
        return 1;
    }
    (void)count(NULL);
    return pthread_join(other, NULL);
}
