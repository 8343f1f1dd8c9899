import { setMaxListeners } from "node:events";
import { configMaps } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { SeededRandom } from "@kintsugi/clock/testing";
import type { FinalState, Journal } from "@kintsugi/simulation";
import { keyOf, loadNamespace, seenIn } from "./objects.ts";
import { readLists, readWatches } from "./readers.ts";
import { RecordingClient } from "./recording-client.ts";
import { incrementCounters, loadNames, writeRegisters } from "./writers.ts";

const registerWriters = 5;
const counterWriters = 4;

export interface LoadDeps {
  journal: Journal;
  /** Each client of the load has connections of its own. */
  newClient: () => Client;
}

export interface LoadClients {
  readonly writers: readonly RecordingClient[];
  /** Resolves when the signal has aborted and what was in flight has ended. */
  readonly ended: Promise<void>;
}

/** Starts everybody who writes, lists and watches, and writes down what they see. */
export function startClients(deps: LoadDeps, options: { seed: number }, signal: AbortSignal): LoadClients {
  const { journal, newClient } = deps;
  // It is behind every call; Node would suspect a leak.
  setMaxListeners(0, signal);
  const writers: RecordingClient[] = [];
  const newWriter = (name: string) => {
    const writer = new RecordingClient({ client: newClient(), journal }, { name });
    writers.push(writer);
    return writer;
  };
  const work: Promise<void>[] = [];
  for (let i = 1; i <= registerWriters; i++)
    work.push(writeRegisters(newWriter(`writer-${i}`), new SeededRandom(options.seed + i), signal));
  for (let i = 1; i <= counterWriters; i++)
    work.push(incrementCounters(newWriter(`counter-${i}`), new SeededRandom(options.seed + 100 + i), signal));
  const reader = () => ({ client: newClient(), journal });
  work.push(readLists(reader(), "lister", signal));
  work.push(readWatches(reader(), { name: "watcher" }, signal));
  work.push(readWatches(reader(), { name: "watcher-even", parity: "even" }, signal));
  work.push(readWatches(reader(), { name: "watcher-odd", parity: "odd" }, signal));
  return { writers, ended: Promise.all(work).then(() => {}) };
}

/** What every object of the load is in the end; of those that are gone, that they are. */
export async function readFinals(client: Client): Promise<FinalState[]> {
  const { items } = await client.list(configMaps, { namespace: loadNamespace });
  const there = new Map(items.map((object) => [object.metadata.name, seenIn(object)]));
  return loadNames.map((name) => {
    const item = there.get(name);
    return { kind: "final", key: keyOf(name), ...(item && { item }) };
  });
}
