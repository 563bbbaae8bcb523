// SPDX-FileCopyrightText: 2026 rtstone contributors
// SPDX-License-Identifier: Apache-2.0
//! FreeRTOS's C names for the functions of freertos-in-rust that the port calls. They only forward the call; include/rust_kernel.h declares them.
#![no_std]
#![allow(non_snake_case, clippy::missing_safety_doc)]

use core::ffi::c_void;
use core::mem::{align_of, size_of};
use core::ptr::{addr_of_mut, null};

use freertos_in_rust::kernel::{queue, tasks};
use freertos_in_rust::memory::{self, FreeRtosAllocator, HeapRegion};
use freertos_in_rust::port;
use freertos_in_rust::types::{BaseType_t, TickType_t, UBaseType_t};
use queue::{QueueHandle_t, StaticQueue_t};

/* The kernel's own assembly saves the floating-point registers of a task that asks for it; its Rust is compiled without any, as C is. The
 * whole is one unit, whose assembly begins here. */
#[cfg(feature = "cortex-a53")]
core::arch::global_asm!(".arch_extension fp");

#[global_allocator]
static ALLOCATOR: FreeRtosAllocator = FreeRtosAllocator;

/// The clock of the kernel's tick, as the board's kernel.toml has it.
#[no_mangle]
pub static FREERTOS_CONFIG_CPU_CLOCK_HZ: u32 = number(env!("RTSTONE_TICK_CLOCK_HZ"));

/// Of the timer that makes the tick on RISC-V.
#[cfg(feature = "riscv32")]
#[no_mangle]
pub static FREERTOS_CONFIG_MTIME_HZ: u32 = number(env!("RTSTONE_TICK_CLOCK_HZ"));

const fn number(text: &str) -> u32 {
    let (digits, mut at, mut value) = (text.as_bytes(), 0, 0);
    while at < digits.len() {
        value = value * 10 + (digits[at] - b'0') as u32;
        at += 1;
    }
    value
}

extern "C" {
    fn rts_port_fatal(why: *const u8) -> !;
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    unsafe { rts_port_fatal(c"the kernel panicked".as_ptr().cast()) }
}

const HEAP_WORDS: usize = number(env!("RTSTONE_HEAP_BYTES")) as usize / 8;
static mut HEAP: [u64; HEAP_WORDS] = [0; HEAP_WORDS];

/// What include/rust_kernel.h sets aside for a queue, a semaphore or a mutex.
const STATIC_QUEUE_BYTES: usize = 32 * size_of::<usize>();
const _: () = assert!(size_of::<StaticQueue_t>() <= STATIC_QUEUE_BYTES && align_of::<StaticQueue_t>() <= 8);

type Entry = extern "C" fn(*mut c_void);
type Task = *mut c_void;

#[no_mangle]
pub unsafe extern "C" fn rts_rust_heap() {
    let heap = addr_of_mut!(HEAP);
    memory::vPortDefineHeapRegions(&[HeapRegion::new(heap.cast(), size_of::<[u64; HEAP_WORDS]>())]);
}

#[no_mangle]
pub extern "C" fn rts_rust_heap_bytes() -> u32 {
    (HEAP_WORDS * 8) as u32
}

#[no_mangle]
pub unsafe extern "C" fn xTaskCreate(entry: Entry, name: *const u8, words: u32, arg: *mut c_void, priority: UBaseType_t, handle: *mut Task) -> BaseType_t {
    tasks::xTaskCreate(entry, name, words as usize, arg, priority, handle)
}

#[no_mangle]
pub unsafe extern "C" fn vTaskStartScheduler() {
    tasks::vTaskStartScheduler();
}

/// Whom the kernel's trap entry calls for an external interrupt, on RISC-V.
#[cfg(feature = "riscv32")]
#[no_mangle]
pub unsafe extern "C" fn rts_rust_external(handler: port::ExternalInterruptHandler_t) {
    port::vPortSetExternalInterruptHandler(Some(handler));
}

#[no_mangle]
pub unsafe extern "C" fn vTaskDelete(task: Task) {
    tasks::vTaskDelete(task);
}

#[no_mangle]
pub unsafe extern "C" fn vTaskSuspend(task: Task) {
    tasks::vTaskSuspend(task);
}

#[no_mangle]
pub unsafe extern "C" fn vTaskResume(task: Task) {
    tasks::vTaskResume(task);
}

#[no_mangle]
pub unsafe extern "C" fn rts_rust_is_suspended(task: Task) -> bool {
    tasks::eTaskGetState(task) == tasks::eTaskState::eSuspended
}

#[no_mangle]
pub unsafe extern "C" fn vTaskDelay(ticks: TickType_t) {
    tasks::vTaskDelay(ticks);
}

#[no_mangle]
pub unsafe extern "C" fn taskYIELD() {
    port::portYIELD();
}

#[no_mangle]
pub unsafe extern "C" fn portYIELD_FROM_ISR(woken: BaseType_t) {
    port::portYIELD_FROM_ISR(woken);
}

#[no_mangle]
pub extern "C" fn taskENTER_CRITICAL() {
    tasks::taskENTER_CRITICAL();
}

#[no_mangle]
pub extern "C" fn taskEXIT_CRITICAL() {
    tasks::taskEXIT_CRITICAL();
}

#[no_mangle]
pub extern "C" fn taskDISABLE_INTERRUPTS() {
    port::portDISABLE_INTERRUPTS();
}

#[no_mangle]
pub extern "C" fn xTaskGetCurrentTaskHandle() -> Task {
    tasks::xTaskGetCurrentTaskHandle()
}

#[no_mangle]
pub unsafe extern "C" fn xTaskNotifyGive(task: Task) {
    tasks::xTaskNotifyGive(task);
}

#[no_mangle]
pub unsafe extern "C" fn ulTaskNotifyTake(clear: BaseType_t, ticks: TickType_t) -> u32 {
    tasks::ulTaskNotifyTake(clear, ticks)
}

#[no_mangle]
pub unsafe extern "C" fn xQueueCreateStatic(depth: UBaseType_t, bytes: UBaseType_t, storage: *mut u8, memory: *mut StaticQueue_t) -> QueueHandle_t {
    queue::xQueueCreateStatic(depth, bytes, storage, memory)
}

#[no_mangle]
pub unsafe extern "C" fn xQueueSend(queue: QueueHandle_t, message: *const c_void, ticks: TickType_t) -> BaseType_t {
    queue::xQueueGenericSend(queue, message, ticks, queue::queueSEND_TO_BACK)
}

#[no_mangle]
pub unsafe extern "C" fn xQueueSendToFront(queue: QueueHandle_t, message: *const c_void, ticks: TickType_t) -> BaseType_t {
    queue::xQueueGenericSend(queue, message, ticks, queue::queueSEND_TO_FRONT)
}

#[no_mangle]
pub unsafe extern "C" fn xQueueReceive(queue: QueueHandle_t, message: *mut c_void, ticks: TickType_t) -> BaseType_t {
    queue::xQueueReceive(queue, message, ticks)
}

#[no_mangle]
pub unsafe extern "C" fn vQueueDelete(queue: QueueHandle_t) {
    queue::vQueueDelete(queue);
}

#[no_mangle]
pub unsafe extern "C" fn xSemaphoreCreateCountingStatic(maximum: UBaseType_t, initial: UBaseType_t, memory: *mut StaticQueue_t) -> QueueHandle_t {
    queue::xQueueCreateCountingSemaphoreStatic(maximum, initial, memory)
}

#[no_mangle]
pub unsafe extern "C" fn xSemaphoreCreateBinaryStatic(memory: *mut StaticQueue_t) -> QueueHandle_t {
    queue::xQueueGenericCreateStatic(1, 0, core::ptr::null_mut(), memory, queue::queueQUEUE_TYPE_BINARY_SEMAPHORE)
}

#[no_mangle]
pub unsafe extern "C" fn xSemaphoreCreateMutexStatic(memory: *mut StaticQueue_t) -> QueueHandle_t {
    queue::xQueueCreateMutexStatic(queue::queueQUEUE_TYPE_MUTEX, memory)
}

#[no_mangle]
pub unsafe extern "C" fn xSemaphoreTake(semaphore: QueueHandle_t, ticks: TickType_t) -> BaseType_t {
    queue::xQueueSemaphoreTake(semaphore, ticks)
}

#[no_mangle]
pub unsafe extern "C" fn xSemaphoreGive(semaphore: QueueHandle_t) -> BaseType_t {
    queue::xQueueGenericSend(semaphore, null(), 0, queue::queueSEND_TO_BACK)
}

#[no_mangle]
pub unsafe extern "C" fn xSemaphoreGiveFromISR(semaphore: QueueHandle_t, woken: *mut BaseType_t) -> BaseType_t {
    queue::xQueueGiveFromISR(semaphore, woken)
}

#[no_mangle]
pub unsafe extern "C" fn pvPortMalloc(bytes: usize) -> *mut c_void {
    memory::pvPortMalloc(bytes)
}

#[no_mangle]
pub unsafe extern "C" fn vPortFree(block: *mut c_void) {
    memory::vPortFree(block);
}
