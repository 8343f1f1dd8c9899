import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "@kintsugi/api";
import type { Clock, Timer } from "@kintsugi/clock";
import { isAlive, signalProcess } from "../host/process-identity.ts";
import { findRunning, spawnComponent } from "../host/spawn-component.ts";
import type { Component } from "../cluster/component.ts";
import { afterEnd, afterStart, type ComponentRecord, planSupervision, unstarted } from "./plan-supervision.ts";

/** Adopted processes are not children of this process, so they are polled for their end. */
const adoptedCheckMs = 500;
/** Time that a service has after the signal to stop before it is killed. */
const stopGraceMs = 5_000;

export interface ProcessKeeperDeps {
  clock: Clock;
  log: Logger;
}

/**
 * Keeps the wanted processes running: starts, restarts with back-off, stops, and adopts the
 * processes of an earlier keeper.
 */
export class ProcessKeeper {
  readonly #deps: ProcessKeeperDeps;
  readonly #pidDirectory: string;
  readonly #records = new Map<string, ComponentRecord>();
  readonly #adopted = new Set<string>();
  #wanted: readonly Component[] = [];
  #stopOthers = false;
  #wake: Timer | undefined;
  /** Changes run one after another: two concurrent changes could start a process twice. */
  #turn: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(deps: ProcessKeeperDeps, options: { pidDirectory: string }) {
    this.#deps = deps;
    this.#pidDirectory = options.pidDirectory;
  }

  /** Adopts the running processes that its pid files name. */
  async adopt(): Promise<string[]> {
    const running = await findRunning(this.#pidDirectory);
    for (const [id, identity] of running) {
      this.#records.set(id, afterStart(unstarted, identity, this.#deps.clock.monotonicMs()));
      this.#adopted.add(id);
    }
    if (this.#adopted.size > 0) this.#checkAdopted();
    return [...running.keys()];
  }

  /**
   * Runs these components from now on, and with `stopOthers` only these components. Resolves when
   * all starts and stops are done.
   */
  want(components: readonly Component[], options: { stopOthers: boolean }): Promise<void> {
    this.#wanted = components;
    this.#stopOthers = options.stopOthers;
    return this.#enqueue();
  }

  /** Drops components without stopping them, because another part ends their processes. */
  abandon(ids: readonly string[]): void {
    this.#wanted = this.#wanted.filter((component) => !ids.includes(component.id));
    for (const id of ids) {
      this.#records.delete(id);
      this.#adopted.delete(id);
    }
  }

  records(): ReadonlyMap<string, ComponentRecord> {
    return this.#records;
  }

  /** Leaves every process running and does not take further action. */
  close(): void {
    this.#closed = true;
    this.#wake?.cancel();
  }

  #enqueue(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#reconcile());
    return this.#turn;
  }

  async #reconcile(): Promise<void> {
    if (this.#closed) return;
    const nowMs = this.#deps.clock.monotonicMs();
    const plan = planSupervision(this.#wanted, this.#records, nowMs);
    const stop = this.#stopOthers ? plan.stop : [];
    await Promise.all([...stop.map((id) => this.#stop(id)), ...plan.start.map((component) => this.#start(component))]);
    this.#wake?.cancel();
    if (plan.wakeAtMs !== undefined)
      this.#wake = this.#deps.clock.after(plan.wakeAtMs - nowMs, () => void this.#enqueue());
  }

  async #start(component: Component): Promise<void> {
    const { clock, log } = this.#deps;
    const record = this.#records.get(component.id) ?? unstarted;
    try {
      const identity = await spawnComponent(component, this.#pidDirectory, () => this.#ended(component.id));
      this.#records.set(component.id, afterStart(record, identity, clock.monotonicMs()));
      log.info("process started", { component: component.id, pid: identity.pid });
      // The end of the process may have been reported while its pid file was written, before its
      // record existed.
      if (!(await isAlive(identity))) this.#ended(component.id);
    } catch (error) {
      log.error("process cannot be started", { component: component.id, error });
      this.#records.set(component.id, afterEnd({ ...record, startedAtMs: clock.monotonicMs() }, clock.monotonicMs()));
      void this.#enqueue();
    }
  }

  async #stop(id: string): Promise<void> {
    const identity = this.#records.get(id)?.process;
    this.#records.delete(id);
    this.#adopted.delete(id);
    if (!identity) return;
    const { clock, log } = this.#deps;
    await signalProcess(identity, "SIGTERM");
    const deadlineMs = clock.monotonicMs() + stopGraceMs;
    while (await isAlive(identity)) {
      if (clock.monotonicMs() > deadlineMs) await signalProcess(identity, "SIGKILL");
      await clock.sleep(10);
    }
    await rm(join(this.#pidDirectory, `${id}.pid`), { force: true });
    log.info("process stopped", { component: id, pid: identity.pid });
  }

  #ended(id: string): void {
    const record = this.#records.get(id);
    if (!record?.process || this.#closed) return;
    this.#deps.log.warn("process ended", { component: id, pid: record.process.pid });
    this.#adopted.delete(id);
    this.#records.set(id, afterEnd(record, this.#deps.clock.monotonicMs()));
    void this.#enqueue();
  }

  #checkAdopted(): void {
    this.#deps.clock.after(adoptedCheckMs, () => void this.#lookAtAdopted());
  }

  async #lookAtAdopted(): Promise<void> {
    for (const id of this.#adopted) {
      const identity = this.#records.get(id)?.process;
      if (identity && !(await isAlive(identity))) this.#ended(id);
    }
    if (this.#adopted.size > 0 && !this.#closed) this.#checkAdopted();
  }
}
