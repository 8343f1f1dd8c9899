import type { Random } from "@kintsugi/clock";
import type { Parity } from "./objects.ts";
import type { Answer, RecordingClient, Wish } from "./recording-client.ts";

/** Few enough that clients meet on them, many enough that a list has pages. */
const registers = Array.from({ length: 24 }, (_, i) => `register-${i}`);
const counters = Array.from({ length: 2 }, (_, i) => `counter-${i}`);
/** Every object that the load ever writes. */
export const loadNames: readonly string[] = [...registers, ...counters];

/** Between two calls of one client; a whole cluster shares the machine. */
const thinkMs = { min: 20, max: 90 };
/** After a call that got no answer. */
const discouragedMs = 150;

/** Creates, replaces, patches and deletes objects, with and without conditions, until the signal aborts. */
export async function writeRegisters(client: RecordingClient, random: Random, signal: AbortSignal): Promise<void> {
  let count = 0;
  while (!signal.aborted) {
    const name = registers[random.integer(registers.length)] ?? "";
    // No value is ever written twice, so that what is read tells who wrote it.
    const wish = { data: { value: `${client.name}.${++count}` }, parity: parityOf(random) };
    await think(random, signal, await callOnce(client, name, { wish, roll: random.integer(100) }));
  }
}

async function callOnce(
  client: RecordingClient,
  name: string,
  { wish, roll }: { wish: Wish; roll: number },
): Promise<Answer> {
  if (roll < 15) return client.get(name);
  if (roll < 45) return client.create(name, wish);
  if (roll < 55) return client.patch(name, wish);
  if (roll < 60) return client.update(name, wish);
  if (roll < 68) return client.delete(name);
  const seen = await client.get(name);
  if (seen.object === undefined) return seen;
  const { uid = "", resourceVersion } = seen.object.metadata;
  const revision = Number(resourceVersion);
  if (roll < 72) return client.delete(name, { revision });
  if (roll < 76) return client.delete(name, { uid });
  if (roll < 82) return client.patch(name, { ...wish, revision });
  return client.update(name, { ...wish, revision });
}

/** Adds one to counters that others add to as well: none of the additions that succeeded may be lost. */
export async function incrementCounters(client: RecordingClient, random: Random, signal: AbortSignal): Promise<void> {
  let count = 0;
  while (!signal.aborted) {
    const name = counters[random.integer(counters.length)] ?? "";
    const by = `${client.name}.${++count}`;
    const wish = { parity: parityOf(random), increments: "count" };
    const seen = await client.get(name);
    if (seen.object !== undefined) {
      const next = String(Number(seen.object.data?.["count"] ?? "0") + 1);
      const revision = Number(seen.object.metadata.resourceVersion);
      await think(random, signal, await client.update(name, { ...wish, data: { count: next, by }, revision }));
    } else {
      const { increments: _, ...first } = wish;
      await think(random, signal, await client.create(name, { ...first, data: { count: "0", by } }));
    }
  }
}

function parityOf(random: Random): Parity {
  return random.integer(2) === 0 ? "even" : "odd";
}

function think(random: Random, signal: AbortSignal, last: Answer): Promise<void> {
  const durationMs = thinkMs.min + random.integer(thinkMs.max - thinkMs.min);
  return pause(last.outcome === "unknown" ? discouragedMs : durationMs, signal);
}

/** Ends early, without an error, when the signal aborts. */
export function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, durationMs);
    signal.addEventListener("abort", done);
  });
}
