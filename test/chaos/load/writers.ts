import type { Random } from "@kintsugi/clock";
import type { Outcome, Recorder, Value } from "@kintsugi/simulation";
import { loadObjects, type Parity } from "./objects.ts";

/** Few enough that clients conflict, many enough that a list has pages. */
const registers = Array.from({ length: 24 }, (_, i) => loadObjects.keyOf(`register-${i}`));
const counters = Array.from({ length: 2 }, (_, i) => loadObjects.keyOf(`counter-${i}`));
/** Every object that the load ever writes. */
export const loadKeys: readonly string[] = [...registers, ...counters];
const countField = "data.count";

/** The pause between two calls of one client, because a whole cluster shares the machine. */
const thinkMs = { min: 20, max: 90 };
/** The pause after a call that got no answer. */
const discouragedMs = 150;

/**
 * Creates, replaces, patches and deletes objects, with and without conditions, until the signal
 * aborts.
 */
export async function writeRegisters(recorder: Recorder, random: Random, signal: AbortSignal): Promise<void> {
  let count = 0;
  while (!signal.aborted) {
    const key = registers[random.integer(registers.length)] ?? "";
    // A value is never written twice, so that a read value identifies its writer.
    const asked = { "data.value": `${recorder.name}.${++count}`, "labels.parity": parityOf(random) };
    await think(random, signal, await callOnce(recorder, key, { asked, roll: random.integer(100) }));
  }
}

async function callOnce(
  recorder: Recorder,
  key: string,
  { asked, roll }: { asked: Value; roll: number },
): Promise<Outcome> {
  if (roll < 15) return recorder.get(key);
  if (roll < 45) return recorder.create(key, { asked });
  if (roll < 55) return recorder.patch(key, { asked });
  if (roll < 60) return recorder.update(key, { asked });
  if (roll < 68) return recorder.delete(key, {});
  const seen = await recorder.get(key);
  if (seen.is !== "ok") return seen;
  const { uid = "", revision = 0 } = seen;
  if (roll < 72) return recorder.delete(key, { precondition: { revision } });
  if (roll < 76) return recorder.delete(key, { precondition: { uid } });
  if (roll < 82) return recorder.patch(key, { asked, precondition: { revision } });
  return recorder.update(key, { asked, precondition: { revision } });
}

/**
 * Increments counters that other clients increment as well. A successful increment must not be
 * lost.
 */
export async function incrementCounters(recorder: Recorder, random: Random, signal: AbortSignal): Promise<void> {
  let count = 0;
  while (!signal.aborted) {
    const key = counters[random.integer(counters.length)] ?? "";
    const said = { "data.by": `${recorder.name}.${++count}`, "labels.parity": parityOf(random) };
    const seen = await recorder.get(key);
    if (seen.is === "ok") {
      const { revision = 0, value } = seen;
      const asked = { [countField]: String(Number(value?.[countField] ?? "0") + 1), ...said };
      const write = { asked, precondition: { revision }, increments: countField };
      await think(random, signal, await recorder.update(key, write));
    } else {
      await think(random, signal, await recorder.create(key, { asked: { [countField]: "0", ...said } }));
    }
  }
}

function parityOf(random: Random): Parity {
  return random.integer(2) === 0 ? "even" : "odd";
}

function think(random: Random, signal: AbortSignal, last: Outcome): Promise<void> {
  const durationMs = thinkMs.min + random.integer(thinkMs.max - thinkMs.min);
  return pause(last.is === "unknown" ? discouragedMs : durationMs, signal);
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
