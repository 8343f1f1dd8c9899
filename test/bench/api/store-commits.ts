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
 * Measures durable commits of the store alone: 64 writers, 2 KiB each, every commit synced before
 * it is answered.
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

/** Heartbeats of 5,000 nodes, each every ten seconds. */
const heartbeatEveryMs = 2;
const heartbeatNodes = 5_000;

/**
 * Measures the processor time of one heartbeat among the heartbeats of 5,000 nodes: with a sync for
 * each heartbeat, and with shared syncs.
 */
export async function measureHeartbeats(durationMs: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const patient of [false, true]) {
    const directory = mkdtempSync(join(tmpdir(), "kintsugi-store-bench-"));
    const store = await LevelStore.open({
      directory: join(directory, "store"),
      clock: systemClock,
      random: systemRandom,
    });
    let syncs = 0;
    store.subscribe(() => syncs++);
    const waits: number[] = [];
    const head = Buffer.from(`{"metadata":{"resourceVersion":"`);
    const tail = Buffer.from(`"},"spec":{"holderIdentity":"node-1","leaseDurationSeconds":40}}`);
    const beat = async (i: number): Promise<void> => {
      const sentMs = performance.now();
      const name = `node-${i % heartbeatNodes}`;
      await store.update(
        `coordination.k8s.io/leases/kube-node-lease/${name}`,
        () => ({ put: { head, tail }, index: { uid: name }, result: undefined }),
        { patient },
      );
      waits.push(performance.now() - sentMs);
    };
    const before = process.cpuUsage();
    const startedMs = performance.now();
    const beats: Promise<void>[] = [];
    // A busy machine's timer is late, so all heartbeats that are due by then are sent together.
    while (performance.now() - startedMs < durationMs) {
      const due = (performance.now() - startedMs) / heartbeatEveryMs;
      while (beats.length < due) beats.push(beat(beats.length));
      await new Promise((resolve) => setTimeout(resolve, heartbeatEveryMs));
    }
    await Promise.all(beats);
    const { user, system } = process.cpuUsage(before);
    await store.close();
    rmSync(directory, { recursive: true });
    const { p50, p99 } = describeSamples(waits);
    figures.push({
      id: `store.heartbeat.${patient ? "patient" : "urgent"}`,
      what: `processor time of one of 500 heartbeats a second, ${patient ? "which share syncs" : "each synced at once"}`,
      value: (user + system) / 1000 / beats.length,
      unit: "ms",
      detail: `${beats.length} heartbeats in ${syncs} batches, answered after p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
    });
  }
  return figures;
}
