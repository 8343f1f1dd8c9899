export { Expectations, type ExpectationState, expectationTimeoutMs } from "./expectations.ts";
export { QueueController, type QueueControllerDeps, type QueueControllerOptions } from "./queue-controller.ts";
export { type Controller, done, type Reconciler, type ReconcileResult } from "./reconciler.ts";
export { WorkQueue, type WorkQueueDeps, type WorkQueueOptions } from "./work-queue.ts";
