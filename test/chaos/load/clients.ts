import { setMaxListeners } from "node:events";
import { configMaps } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { SeededRandom } from "@kintsugi/clock/simulated";
import { type FinalState, type Journal, Recorder } from "@kintsugi/simulation";
import { loadObjects } from "./objects.ts";
import { readLists, readWatches } from "./readers.ts";
import { incrementCounters, loadKeys, writeRegisters } from "./writers.ts";

const registerWriters = 5;
const counterWriters = 4;
/** Time limit of a writer's call: longer than a restart takes, shorter than most faults last. */
const callTimeoutMs = 6_000;

export interface LoadDeps {
  journal: Journal;
  /** Each client of the load has its own connections. */
  newClient: () => Client;
}

export interface LoadClients {
  readonly writers: readonly Recorder[];
  /** Resolves when the signal has aborted and the calls in flight have ended. */
  readonly ended: Promise<void>;
}

/** Starts all clients that write, list and watch, and records their observations. */
export function startClients(deps: LoadDeps, options: { seed: number }, signal: AbortSignal): LoadClients {
  const { journal, newClient } = deps;
  // Every call adds a listener to the signal, so Node would suspect a leak.
  setMaxListeners(0, signal);
  const writers: Recorder[] = [];
  const newWriter = (name: string) => {
    const writer = new Recorder({ client: newClient(), journal }, { name, objects: loadObjects, callTimeoutMs });
    writers.push(writer);
    return writer;
  };
  const work: Promise<void>[] = [];
  for (let i = 1; i <= registerWriters; i++)
    work.push(writeRegisters(newWriter(`writer-${i}`), new SeededRandom(options.seed + i), signal));
  for (let i = 1; i <= counterWriters; i++)
    work.push(incrementCounters(newWriter(`counter-${i}`), new SeededRandom(options.seed + 100 + i), signal));
  const newReader = (name: string) => {
    const client = newClient();
    return { client, recorder: new Recorder({ client, journal }, { name, objects: loadObjects }) };
  };
  work.push(readLists(newReader("lister").recorder, signal));
  work.push(readWatches(newReader("watcher"), {}, signal));
  work.push(readWatches(newReader("watcher-even"), { parity: "even" }, signal));
  work.push(readWatches(newReader("watcher-odd"), { parity: "odd" }, signal));
  return { writers, ended: Promise.all(work).then(() => {}) };
}

/** Returns the final state of every object of the load; a deleted object's is empty. */
export async function readFinals(client: Client): Promise<FinalState[]> {
  const { items } = await client.list(configMaps, { namespace: loadObjects.namespace });
  return loadObjects.finalsOf(loadKeys, items);
}
