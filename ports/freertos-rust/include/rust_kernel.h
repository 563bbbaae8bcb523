/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What src/lib.rs exports of freertos-in-rust, by the names and types that FreeRTOS has in C: ports/freertos is compiled against it.
 */
#ifndef RTSTONE_RUST_KERNEL_H
#define RTSTONE_RUST_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All of a register's width, as in C. */
typedef intptr_t BaseType_t;
typedef uintptr_t UBaseType_t;
typedef uintptr_t TickType_t;
typedef uintptr_t StackType_t;
typedef void *TaskHandle_t;
typedef void *QueueHandle_t;
typedef QueueHandle_t SemaphoreHandle_t;

/** Room for the kernel's own structure, which src/lib.rs compares with it. */
typedef struct StaticQueue {
    _Alignas(8) uint8_t bytes[32 * sizeof(void *)];
} StaticQueue_t;
typedef StaticQueue_t StaticSemaphore_t;

#define pdFALSE 0
#define pdTRUE 1
#define pdPASS 1
#define portMAX_DELAY UINTPTR_MAX
#define configTICK_RATE_HZ 1000u

void rts_rust_heap(void);
uint32_t rts_rust_heap_bytes(void);
bool rts_rust_is_suspended(TaskHandle_t task);

BaseType_t xTaskCreate(void (*entry)(void *), const char *name, uint32_t words, void *arg, UBaseType_t priority,
                       TaskHandle_t *handle);
void vTaskStartScheduler(void);
void FreeRTOS_Tick_Handler(void); /* where the board makes the tick */
void vTaskDelete(TaskHandle_t task);
void vTaskSuspend(TaskHandle_t task);
void vTaskResume(TaskHandle_t task);
void vTaskDelay(TickType_t ticks);
void taskYIELD(void);
void taskENTER_CRITICAL(void);
void taskEXIT_CRITICAL(void);
void taskDISABLE_INTERRUPTS(void);
void portYIELD_FROM_ISR(BaseType_t woken);
TaskHandle_t xTaskGetCurrentTaskHandle(void);
void xTaskNotifyGive(TaskHandle_t task);
uint32_t ulTaskNotifyTake(BaseType_t clear, TickType_t ticks);

QueueHandle_t xQueueCreateStatic(UBaseType_t depth, UBaseType_t bytes, uint8_t *storage, StaticQueue_t *memory);
BaseType_t xQueueSend(QueueHandle_t queue, const void *message, TickType_t ticks);
BaseType_t xQueueSendToFront(QueueHandle_t queue, const void *message, TickType_t ticks);
BaseType_t xQueueReceive(QueueHandle_t queue, void *message, TickType_t ticks);
void vQueueDelete(QueueHandle_t queue);

SemaphoreHandle_t xSemaphoreCreateCountingStatic(UBaseType_t maximum, UBaseType_t initial, StaticSemaphore_t *memory);
SemaphoreHandle_t xSemaphoreCreateBinaryStatic(StaticSemaphore_t *memory);
SemaphoreHandle_t xSemaphoreCreateMutexStatic(StaticSemaphore_t *memory);
BaseType_t xSemaphoreTake(SemaphoreHandle_t semaphore, TickType_t ticks);
BaseType_t xSemaphoreGive(SemaphoreHandle_t semaphore);
BaseType_t xSemaphoreGiveFromISR(SemaphoreHandle_t semaphore, BaseType_t *woken);
#define vSemaphoreDelete(semaphore) vQueueDelete(semaphore)

void *pvPortMalloc(size_t bytes);
void vPortFree(void *block);

#endif
