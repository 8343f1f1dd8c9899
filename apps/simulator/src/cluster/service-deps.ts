import type { ChangeStream, Logger } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import type { Death, Incarnation, Levels, RandomSource, Wire } from "@kintsugi/simulation";

/** One incarnation of a process, with its clock. */
export interface ProcessOwner {
  incarnation: Incarnation;
  clock: Clock;
}

/** The connection of one incarnation of a process to the cluster. */
export interface Connecting extends ProcessOwner {
  /** The identity of the process toward the API server. */
  name: string;
  groups: string[];
  wire: Wire;
  /** The name of the process for the test's hooks. */
  hook: string;
}

/** Dependencies of every simulated service. */
export interface ServiceDeps {
  clock: Clock;
  randomSource: RandomSource;
  log: Logger;
  levels: Levels;
  /** The connections of one incarnation of a service to the cluster. */
  connect: (service: string, owner: ProcessOwner) => { client: Client; changes: ChangeStream | undefined };
  onDeath: (death: Death) => void;
}
