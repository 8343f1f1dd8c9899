import type { WorkQueue } from "./work-queue.ts";

/**
 * The keys with which queues begin. A process whose start state is the end of another process need
 * not reconcile objects that the other process found as desired.
 */
export interface QueueStarts {
  /** Returns undefined for a queue that begins with the keys of all existing objects. */
  keysOf(queue: string): readonly string[] | undefined;
  /** Called with each queue before it begins. */
  observe(queue: Pick<WorkQueue, "name" | "unfinished">): void;
}
