import { gzipSync } from "node:zlib";
import {
  type RunOutcome,
  type PackedStart,
  packStart,
  type RehearsalQuestion,
  type StartState,
  type Timings,
  unpackStart,
} from "@kintsugi/rehearsal";
import type { StoryRecording } from "@kintsugi/story";
import { drawnBehaviour } from "../cluster/behaviour.ts";
import { prepare } from "../start/prepare.ts";
import { recordRun, runQuestion } from "./run-question.ts";
import { settle } from "../start/settle.ts";

/** The cluster of the runs that a worker simulates; a worker receives it once. */
export interface WorkerCluster {
  readonly start: PackedStart;
  readonly timings: Timings;
}

/** One piece of work for a worker. */
export type Order =
  | { readonly do: "take"; readonly name: string; readonly cluster: WorkerCluster }
  | { readonly do: "live"; readonly name: string; readonly question: RehearsalQuestion; readonly seed: number }
  | { readonly do: "record"; readonly name: string; readonly question: RehearsalQuestion; readonly seed: number }
  | { readonly do: "settle"; readonly name: string; readonly seed: number }
  | { readonly do: "prepare"; readonly name: string; readonly seed: number };

export type OrderReport =
  | { readonly outcome: RunOutcome }
  | { readonly start: PackedStart }
  /** A recording for a page with several recordings. */
  | { readonly gzipBase64: string }
  | { readonly taken: true };

/** Simulates its orders, in this process or in other processes. */
export interface Runs {
  /** Registers a cluster under a name for orders. */
  add(name: string, cluster: WorkerCluster): void;
  /** Removes a cluster that later orders will not name. */
  remove(name: string): void;
  carryOut(order: Exclude<Order, { do: "take" }>): Promise<OrderReport>;
}

/** Simulates in this process, one run at a time. */
export class LocalRuns implements Runs {
  readonly #worker = new RunWorker();
  #last: Promise<unknown> = Promise.resolve();

  add(name: string, cluster: WorkerCluster): void {
    void this.#worker.carryOut({ do: "take", name, cluster });
  }

  remove(): void {}

  carryOut(order: Exclude<Order, { do: "take" }>): Promise<OrderReport> {
    const report = this.#last.then(() => this.#worker.carryOut(order));
    this.#last = report.catch(() => undefined);
    return report;
  }
}

/** The clusters that a process has received, by their names. */
export class RunWorker {
  readonly #clusters = new Map<string, { start: StartState; timings: Timings }>();

  async carryOut(order: Order): Promise<OrderReport> {
    if (order.do === "take") {
      this.#clusters.set(order.name, { start: unpackStart(order.cluster.start), timings: order.cluster.timings });
      return { taken: true };
    }
    const cluster = this.#clusters.get(order.name);
    if (cluster === undefined) throw new Error(`the worker has no cluster ${order.name}`);
    const { start, timings } = cluster;
    const behaviour = drawnBehaviour(timings, start);
    if (order.do === "settle") return { start: packStart(await settle(start, behaviour, order.seed)) };
    if (order.do === "prepare") return { start: packStart(await prepare(start, behaviour, order.seed)) };
    if (order.do === "record") return { gzipBase64: packed(await recordRun({ start, behaviour }, order)) };
    return { outcome: await runQuestion({ start, behaviour }, order) };
  }
}

function packed(recording: StoryRecording): string {
  return gzipSync(JSON.stringify(recording)).toString("base64");
}
