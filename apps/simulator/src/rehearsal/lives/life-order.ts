import {
  type LifeOutcome,
  type PackedStart,
  packStart,
  type Question,
  type StartState,
  type Timings,
  unpackStart,
} from "@kintsugi/rehearsal";
import { drawnBehaviour } from "../life/drawn-behaviour.ts";
import { runLife } from "../life/run-life.ts";
import { settle } from "../life/settle.ts";

/** The cluster of the lives that a worker lives; it is sent once. */
export interface WorkerCluster {
  readonly start: PackedStart;
  readonly timings: Timings;
}

/** One piece of work for a worker. */
export type Order =
  | { readonly do: "take"; readonly name: string; readonly cluster: WorkerCluster }
  | { readonly do: "live"; readonly name: string; readonly question: Question; readonly seed: number }
  | { readonly do: "settle"; readonly name: string; readonly seed: number };

export type Report = { readonly outcome: LifeOutcome } | { readonly start: PackedStart } | { readonly taken: true };

/** The clusters that a process has been given, by their names. */
export class LifeWorker {
  readonly #clusters = new Map<string, { start: StartState; timings: Timings }>();

  async carryOut(order: Order): Promise<Report> {
    if (order.do === "take") {
      this.#clusters.set(order.name, { start: unpackStart(order.cluster.start), timings: order.cluster.timings });
      return { taken: true };
    }
    const cluster = this.#clusters.get(order.name);
    if (cluster === undefined) throw new Error(`the worker has no cluster ${order.name}`);
    const { start, timings } = cluster;
    const behaviour = drawnBehaviour(timings, start);
    if (order.do === "settle") return { start: packStart(await settle(start, behaviour, order.seed)) };
    return { outcome: await runLife({ start, behaviour }, order) };
  }
}
