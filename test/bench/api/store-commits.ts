import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { LevelStore } from "@kintsugi/store";
import { describeSamples } from "../distribution.ts";
import type { Figure } from "../figure.ts";

const writers = 64;
const valueBytes = 2048;

/**
 * Durable commits of the store alone: 64 writers, 2 KiB each, every one synced before it is
 * answered.
 */
export async function measureCommits(durationMs: number): Promise<Figure[]> {
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-store-bench-"));
  const store = await LevelStore.open({
    directory: join(directory, "store"),
    clock: systemClock,
    random: systemRandom,
  });
  const samples: number[] = [];
  const head = Buffer.from(`{"metadata":{"resourceVersion":"`);
  const startedMs = performance.now();
  const until = startedMs + durationMs;
  const write = async (writer: number) => {
    for (let i = 0; performance.now() < until; i++) {
      const tail = Buffer.from(`"},"data":"${Buffer.from(systemRandom.bytes(valueBytes / 2)).toString("hex")}"}`);
      const sentMs = performance.now();
      await store.update(`core/configmaps/bench/${writer}-${i}`, () => ({
        put: { head, tail },
        index: { uid: `${writer}-${i}` },
        result: undefined,
      }));
      samples.push(performance.now() - sentMs);
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  const perSecond = (samples.length * 1000) / (performance.now() - startedMs);
  await store.close();
  rmSync(directory, { recursive: true });
  const { p50, p99 } = describeSamples(samples);
  return [
    {
      id: "store.commits.rate",
      what: "store, 64 writers, 2 KiB, synced",
      value: perSecond,
      unit: "/s",
      goal: 25_000,
      detail: `${samples.length} commits, p50 ${p50.toFixed(2)} ms`,
    },
    { id: "store.commits.p99", what: "store, 64 writers, p99", value: p99, unit: "ms", goal: 12 },
  ];
}
