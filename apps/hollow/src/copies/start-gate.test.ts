import type { Pod } from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import { VirtualClock } from "@kintsugi/clock/testing";
import { expect, test } from "vitest";
import { StartGate, startPatienceMs, startsMax } from "./start-gate.ts";

test("as many pods as may start are shown at once, the others in their order as those have started", () => {
  const { gate, shown, add, change } = aGate();
  for (let i = 0; i < startsMax + 2; i++) add(i);
  expect(shown).toHaveLength(startsMax);
  change(aPod(0, { phase: "Running" }), aPod(0));
  expect(shown.slice(startsMax)).toEqual(["modified pod-0 Running", `added pod-${startsMax} Pending`]);
  gate.pass({ type: "deleted", object: aPod(1) });
  expect(shown.slice(startsMax + 2)).toEqual(["deleted pod-1 Pending", `added pod-${startsMax + 1} Pending`]);
});

test("a pod that is not shown yet is shown in its newest state, and never if it goes before", () => {
  const { gate, shown, add, change } = aGate();
  for (let i = 0; i < startsMax + 2; i++) add(i);
  change(aPod(startsMax, { labels: { newest: "yes" } }), aPod(startsMax));
  gate.pass({ type: "deleted", object: aPod(startsMax) });
  change(aPod(startsMax + 1, { labels: { newest: "yes" } }), aPod(startsMax + 1));
  change(aPod(0, { phase: "Running" }), aPod(0));
  expect(shown.slice(startsMax)).toEqual(["modified pod-0 Running", `added pod-${startsMax + 1} Pending newest`]);
});

test("pods that do not start, for a reason of their own, hold no other back for long", async () => {
  const { clock, shown, add } = aGate();
  for (let i = 0; i < 2 * startsMax; i++) add(i);
  await clock.advance(startPatienceMs - 1);
  expect(shown).toHaveLength(startsMax);
  await clock.advance(1);
  expect(shown).toHaveLength(2 * startsMax);
});

test("pods that run already, or are to start late, are shown whatever waits", () => {
  const { gate, shown, add } = aGate();
  for (let i = 0; i <= startsMax; i++) add(i);
  gate.pass({ type: "added", object: aPod(1_000, { phase: "Running" }) });
  gate.pass({ type: "added", object: aPod(1_001, { annotations: { "kintsugi.dev/start-delay": "20s" } }) });
  expect(shown.slice(startsMax)).toEqual(["added pod-1000 Running", "added pod-1001 Pending"]);
});

test("a process whose timers are late starts fewer, and as many as before once it keeps up", async () => {
  const { clock, shown, add, change } = aGate();
  const startOne = (i: number) => change(aPod(i, { phase: "Running" }), aPod(i));
  for (let i = 0; i < 4 * startsMax; i++) add(i);
  // The next look is 300 ms late.
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
  phase?: "Running";
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

function aPod(number: number, { phase, labels, annotations }: PodDraw = {}): Pod {
  const metadata = { name: `pod-${number}`, namespace: "default", uid: `uid-${number}` };
  return {
    metadata: { ...metadata, ...(labels && { labels }), ...(annotations && { annotations }) },
    status: { phase: phase ?? "Pending" },
  } as Pod;
}
