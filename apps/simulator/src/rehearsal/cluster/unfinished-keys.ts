import type { StartState } from "@kintsugi/rehearsal";
import type { ControlPlaneDeps } from "../../cluster/control-plane.ts";

type QueueStarts = NonNullable<ControlPlaneDeps["queueStarts"]>;
type Queue = Parameters<QueueStarts["observe"]>[0];

/** The keys with which the controllers of a run begin, and the keys that they have not finished. */
export class UnfinishedKeys implements QueueStarts {
  readonly #given: StartState["unfinishedKeys"];
  readonly #queues: Queue[] = [];

  constructor({ unfinishedKeys }: Pick<StartState, "unfinishedKeys">) {
    this.#given = unfinishedKeys;
  }

  keysOf(queue: string): readonly string[] | undefined {
    return this.#given?.[queue];
  }

  observe(queue: Queue): void {
    this.#queues.push(queue);
  }

  /** The keys that each queue has to process, by the queue's name. */
  now(): Record<string, string[]> {
    return Object.fromEntries(this.#queues.map((queue) => [queue.name, queue.unfinished()]));
  }
}
