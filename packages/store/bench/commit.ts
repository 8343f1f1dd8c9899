// Measures how fast the store commits and opens on this machine. Run: npx tsx --conditions
// @kintsugi/source packages/store/bench/commit.ts [records]
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { LevelStore } from "../src/level/level-store.ts";
import type { EncodedObject } from "../src/store.ts";

const records = Number(process.argv[2] ?? 100_000);
const valueBytes = 2048;
const directory = await mkdtemp(join(process.argv[3] ?? tmpdir(), "kintsugi-bench-"));
const open = () => LevelStore.open({ directory, clock: systemClock, random: systemRandom });

function anObject(seed: number): EncodedObject {
  // Half of the value is incompressible, like the names, UIDs and managed fields of a real object.
  const noise = Buffer.from(systemRandom.bytes(valueBytes / 4)).toString("hex");
  const head = `{"kind":"Pod","metadata":{"name":"pod-${seed}","labels":{"app":"web"},"resourceVersion":"`;
  const tail = `"},"noise":"${noise}","rest":"${"x".repeat(valueBytes - noise.length - head.length - 30)}"}`;
  return { head: Buffer.from(head), tail: Buffer.from(tail) };
}

async function commit(writers: number, count: number): Promise<void> {
  const store = await open();
  const objects = Array.from({ length: 256 }, (_, i) => anObject(i));
  const latenciesMs: number[] = [];
  const offset = store.count("");
  let next = 0;
  const startMs = systemClock.monotonicMs();
  const writer = async () => {
    while (next < count) {
      const n = next++;
      const put = objects[n % objects.length] as EncodedObject;
      const index = { uid: `uid-${n}`, labels: { app: "web" }, fields: { "spec.nodeName": `node-${n % 100}` } };
      const beganMs = systemClock.monotonicMs();
      await store.update(`core/pods/default/pod-${offset + n}`, () => ({ put, index, result: undefined }));
      latenciesMs.push(systemClock.monotonicMs() - beganMs);
    }
  };
  await Promise.all(Array.from({ length: writers }, writer));
  const seconds = (systemClock.monotonicMs() - startMs) / 1000;
  latenciesMs.sort((a, b) => a - b);
  const at = (part: number) => (latenciesMs[Math.floor(latenciesMs.length * part)] ?? 0).toFixed(2);
  print(
    `${writers} writers: ${Math.round(count / seconds)} commits/s, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(0.99999)} ms`,
  );
  await store.close();
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  await commit(1, Math.min(5000, records / 20));
  await commit(8, records / 5);
  await commit(64, records);
  await commit(256, records);
  const startMs = systemClock.monotonicMs();
  const store = await open();
  print(`open with ${store.count("")} records: ${Math.round(systemClock.monotonicMs() - startMs)} ms`);
  await store.close();
} finally {
  await rm(directory, { recursive: true });
}
