import { expect, test } from "vitest";
import { podInfo } from "@kintsugi/scheduling/testing";
import type { QueuedPod } from "./queued-pod.ts";
import { ReadyPods } from "./ready-pods.ts";

let order = 0;

function queued(namespace: string, name: string, { readyMs = 0, priority = 0 } = {}): QueuedPod {
  const pod = podInfo(name, { namespace, uid: `${namespace}/${name}`, spec: { priority } });
  const times = { addedMs: readyMs, firstAttemptMs: undefined, readyMs, failedMs: 0, backoffUntilMs: 0 };
  return { pod, attempts: 0, order: order++, rejectedBy: new Set(), ...times };
}

const readyPods = (...pods: QueuedPod[]) => {
  const ready = new ReadyPods();
  for (const pod of pods) ready.put(pod);
  return ready;
};

/** The names in the order of their turns. Each decision about a pod of "costly" takes 250 ms. */
function turns(ready: ReadyPods, arrivals: readonly QueuedPod[] = []): string[] {
  const names: string[] = [];
  const coming = [...arrivals];
  for (let nowMs = 0; ;) {
    while ((coming[0]?.readyMs ?? Infinity) <= nowMs) ready.put(coming.shift() as QueuedPod);
    const next = ready.pop();
    if (next === undefined) return names;
    names.push(next.pod.key);
    const tookMs = next.pod.key.startsWith("costly/") ? 250 : 1;
    nowMs += tookMs;
    ready.spent(next, { tookMs, nowMs });
  }
}

test("pods of all namespaces are ordered by priority, and then by the time at which they became ready", () => {
  const ready = readyPods(
    queued("a", "second", { readyMs: 2 }),
    queued("b", "third", { readyMs: 3 }),
    queued("b", "first", { readyMs: 1 }),
    queued("a", "important", { readyMs: 9, priority: 5 }),
  );
  expect(ready.size).toBe(4);
  expect(turns(ready)).toEqual(["a/important", "b/first", "a/second", "b/third"]);
  expect([ready.size, ready.pop()]).toEqual([0, undefined]);
});

test("a namespace whose pods cost much time yields to later pods", () => {
  const many = Array.from({ length: 100 }, (_, index) => queued("costly", `pod-${index}`));
  const late = [queued("b", "web", { readyMs: 100 }), queued("c", "web", { readyMs: 600 })];
  const order = turns(readyPods(...many), late);
  expect(order.slice(0, 6)).toEqual(["costly/pod-0", "b/web", "costly/pod-1", "costly/pod-2", "c/web", "costly/pod-3"]);
  expect(order).toHaveLength(102);
});

test("a namespace that yields is not starved by a stream of pods of other namespaces", () => {
  const stream = Array.from({ length: 2000 }, (_, index) => queued("b", `web-${index}`, { readyMs: index }));
  const order = turns(readyPods(queued("costly", "one"), queued("costly", "two")), stream);
  expect(order.indexOf("costly/two")).toBeLessThan(600);
});

test("a pod's priority counts more than its namespace's cost", () => {
  const ready = readyPods(
    queued("costly", "one"),
    queued("costly", "two", { priority: 1 }),
    queued("costly", "three", { priority: 1 }),
    queued("b", "web", { readyMs: 1 }),
  );
  expect(turns(ready)).toEqual(["costly/two", "costly/three", "b/web", "costly/one"]);
});

test("a pod is found, replaced and removed at every position", () => {
  const ready = readyPods(queued("a", "web"), queued("b", "web"));
  ready.put({ ...queued("b", "web"), readyMs: 7 });
  expect([ready.size, ready.find("b/web")?.readyMs]).toEqual([2, 7]);
  expect(ready.remove("a/web")?.pod.key).toBe("a/web");
  expect([ready.remove("a/web"), ready.find("a/web"), ready.size]).toEqual([undefined, undefined, 1]);
});
