import type { Pod } from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { StartGate, startPatienceMs, startsMax } from "./start-gate.ts";

test("as many pods as may start are shown immediately, and each further pod is shown in its order when another pod has started", () => {
  const { gate, shown, add, change } = aGate();
  for (let i = 0; i < startsMax + 2; i++) add(i);
  expect(shown).toHaveLength(startsMax);
  change(aPod(0, { phase: "Running" }), aPod(0));
  expect(shown.slice(startsMax)).toEqual(["modified pod-0 Running", `added pod-${startsMax} Pending`]);
  gate.pass({ type: "deleted", object: aPod(1) });
  expect(shown.slice(startsMax + 2)).toEqual(["deleted pod-1 Pending", `added pod-${startsMax + 1} Pending`]);
});

test("a pod that is not shown yet is shown in its newest state, and is never shown if it is removed earlier", () => {
  const { gate, shown, add, change } = aGate();
  for (let i = 0; i < startsMax + 2; i++) add(i);
  change(aPod(startsMax, { labels: { newest: "yes" } }), aPod(startsMax));
  gate.pass({ type: "deleted", object: aPod(startsMax) });
  change(aPod(startsMax + 1, { labels: { newest: "yes" } }), aPod(startsMax + 1));
  change(aPod(0, { phase: "Running" }), aPod(0));
  expect(shown.slice(startsMax)).toEqual(["modified pod-0 Running", `added pod-${startsMax + 1} Pending newest`]);
});

test("pods that do not start for a reason of their own delay other pods only briefly", async () => {
  const { clock, shown, add } = aGate();
  for (let i = 0; i < 2 * startsMax; i++) add(i);
  await clock.advance(startPatienceMs - 1);
  expect(shown).toHaveLength(startsMax);
  await clock.advance(1);
  expect(shown).toHaveLength(2 * startsMax);
});

test("pods that start as slowly as all other pods delay the other pods", async () => {
  const { clock, shown, add, change } = aGate();
  const added = () => shown.filter((line) => line.startsWith("added")).length;
  for (let i = 0; i < 10 * startsMax; i++) add(i);
  await clock.advance(2.5 * startPatienceMs);
  const slow = added();
  for (let i = 0; i < slow; i++) change(aPod(i, { phase: "Running" }), aPod(i));
  const next = added();
  expect(next).toBe(slow + startsMax);
  await clock.advance(1.5 * startPatienceMs);
  expect(added()).toBe(next);
});

test("pods that already run or start late by design are shown regardless of the queue", () => {
  const { gate, shown, add } = aGate();
  for (let i = 0; i <= startsMax; i++) add(i);
  gate.pass({ type: "added", object: aPod(1_000, { phase: "Running" }) });
  gate.pass({ type: "added", object: aPod(1_001, { annotations: { "kintsugi.dev/start-delay": "20s" } }) });
  expect(shown.slice(startsMax)).toEqual(["added pod-1000 Running", "added pod-1001 Pending"]);
});

test("pods of booting machines start again, a limited number at a time, regardless of their status in the API", () => {
  const { gate, shown, change } = aGate();
  const ran = (i: number, container: string) => aPod(i, { phase: "Running", container });
  const kubelet: string[] = [];
  const pods = Array.from({ length: startsMax + 2 }, (_, i) => ran(i, "old"));
  gate.boot(pods, ({ type, object }) => kubelet.push(`${type} ${object.metadata.name}`));
  expect(kubelet).toHaveLength(startsMax);
  change(ran(0, ""), ran(0, "old"));
  change(ran(1, "old"), ran(1, "old"));
  expect(kubelet).toHaveLength(startsMax);
  change(ran(0, "new"), ran(0, ""));
  expect(kubelet.at(-1)).toBe(`added pod-${startsMax}`);
  gate.pass({ type: "deleted", object: ran(1, "old") });
  expect(kubelet.at(-1)).toBe(`added pod-${startsMax + 1}`);
  expect(shown).toEqual(["pod-0", "pod-1", "pod-0", "pod-1"].map((name) => expect.stringContaining(name)));
});

test("a machine that boots twice shows each pod to its last kubelet", () => {
  const { gate, change } = aGate();
  const [first, second]: [string[], string[]] = [[], []];
  const pods = Array.from({ length: startsMax + 1 }, (_, i) => aPod(i, { phase: "Running", container: "old" }));
  gate.boot(pods, ({ object }) => first.push(object.metadata.name ?? ""));
  gate.boot(pods, ({ object }) => second.push(object.metadata.name ?? ""));
  expect([first.length, second.length]).toEqual([startsMax, startsMax]);
  for (const pod of pods)
    change(aPod(Number(pod.metadata.name?.slice(4)), { phase: "Running", container: "new" }), pod);
  expect([first.length, second.length]).toEqual([startsMax, startsMax + 1]);
  expect(new Set(second).size).toBe(second.length);
});

test("ended pods are shown to a booting kubelet regardless of the queue", () => {
  const { gate } = aGate();
  const kubelet: string[] = [];
  const pods = Array.from({ length: startsMax + 1 }, (_, i) => aPod(i, { phase: "Running", container: "old" }));
  gate.boot([...pods, aPod(1_000, { phase: "Failed" })], ({ object }) => kubelet.push(object.metadata.name ?? ""));
  expect(kubelet).toContain("pod-1000");
  expect(kubelet).toHaveLength(startsMax + 1);
});

test("a process whose timers are late starts fewer pods, and as many as before once it keeps up", async () => {
  const { clock, shown, add, change } = aGate();
  const startOne = (i: number) => change(aPod(i, { phase: "Running" }), aPod(i));
  for (let i = 0; i < 4 * startsMax; i++) add(i);
  // The next check is 300 ms late.
  clock.lateMs = 300;
  await clock.advance(50);
  clock.lateMs = 0;
  const before = shown.filter((line) => line.startsWith("added")).length;
  for (let i = 0; i < startsMax / 2; i++) startOne(i);
  expect(shown.filter((line) => line.startsWith("added"))).toHaveLength(before);
  await clock.advance(1_000);
  expect(shown.filter((line) => line.startsWith("added"))).toHaveLength(startsMax + startsMax / 2);
});

/** A clock whose monotonic time is ahead of its timers. */
class LateClock extends VirtualClock {
  lateMs = 0;

  override monotonicMs(): number {
    return super.monotonicMs() + this.lateMs;
  }
}

function aGate() {
  const clock = new LateClock();
  const shown: string[] = [];
  const startsLate = ({ metadata }: Pod) => metadata.annotations?.["kintsugi.dev/start-delay"] !== undefined;
  const gate = new StartGate({ clock, startsLate }, ({ type, object: { metadata, status } }: InformerChange<Pod>) =>
    shown.push([type, metadata.name, status?.phase, ...Object.keys(metadata.labels ?? {})].join(" ")),
  );
  return {
    clock,
    gate,
    shown,
    add: (number: number) => gate.pass({ type: "added", object: aPod(number) }),
    change: (object: Pod, before: Pod) => gate.pass({ type: "modified", object, before }),
  };
}

interface PodDraw {
  phase?: "Running" | "Failed";
  /** The id of its container; empty while it is being created. */
  container?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

function aPod(number: number, { phase, labels, annotations, container }: PodDraw = {}): Pod {
  const metadata = { name: `pod-${number}`, namespace: "default", uid: `uid-${number}` };
  return {
    metadata: { ...metadata, ...(labels && { labels }), ...(annotations && { annotations }) },
    status: {
      phase: phase ?? "Pending",
      ...(container !== undefined && {
        containerStatuses: [{ name: "c", containerID: container && `fake://${container}` }],
      }),
    },
  } as Pod;
}
