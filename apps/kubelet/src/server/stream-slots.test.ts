import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { StreamSlots } from "./stream-slots.ts";

const limits = { containerMax: 2, podMax: 3, nodeMax: 4, abandonedMs: 10_000 };

function slotsOf() {
  const clock = new VirtualClock();
  const slots = new StreamSlots({ clock }, limits);
  const take = (podUid: string, containerName?: string, hasProcess = true) => {
    const gone = new AbortController();
    const slot = slots.take({ podUid, containerName }, gone.signal);
    if (hasProcess) slot.started();
    return { leave: () => gone.abort(), end: () => (slot.ended(), gone.abort()) };
  };
  return { clock, take };
}

test("a container, a pod and the node each have a limit, and the refusal names the limit", () => {
  const { take } = slotsOf();
  take("a", "main");
  take("a", "main");
  expect(() => take("a", "main")).toThrow('container "main" has 2 streams');
  take("a", "sidecar");
  expect(() => take("a", "sidecar")).toThrow("the pod has 3 streams");
  expect(() => take("a")).toThrow("the pod has 3 streams");
  take("b", "main");
  expect(() => take("c", "main")).toThrow(expect.objectContaining({ statusCode: 429 }));
});

test("a stream that the runtime has ended frees its place immediately", () => {
  const { take } = slotsOf();
  const first = take("a", "main");
  take("a", "main");
  first.end();
  take("a", "main");
  expect(() => take("a", "main")).toThrow('container "main" has 2 streams');
});

test("a stream without a process frees its place when its client disconnects", () => {
  const { take } = slotsOf();
  const first = take("a", "main", false);
  take("a", "main", false);
  expect(() => take("a", "main", false)).toThrow('container "main" has 2 streams');
  first.leave();
  expect(() => take("a", "main", false)).not.toThrow();
});

test("a stream whose client has disconnected still counts for a while because its process continues", async () => {
  const { clock, take } = slotsOf();
  const streams = [take("a", "main"), take("a", "main")];
  for (const { leave } of streams) leave();
  expect(() => take("a", "main")).toThrow('container "main" has 2 streams');
  await clock.advance(limits.abandonedMs);
  take("a", "main");
  take("a", "main");
});
