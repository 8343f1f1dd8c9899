import { describe, expect, test } from "vitest";
import { forbidden, type Metrics, silentMetrics } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { MemoryStore } from "@kintsugi/store/simulated";
import { anAsyncStep } from "../testing/async-steps.ts";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";
import { allCalls, prepareWrites } from "../testing/write-calls.ts";
import type { AnyAdmissionStep } from "./admission.ts";

/** Counts the turns of the promise queue until a request's write reaches the store. */
async function turnsUntilWrite(steps: readonly AnyAdmissionStep[], send: (server: TestServer) => Promise<unknown>) {
  const store = new MemoryStore({ clock: new VirtualClock() });
  let updates = 0;
  const update = store.update.bind(store);
  store.update = (...args) => {
    updates++;
    return update(...args);
  };
  await using server = await TestServer.start({}, { store, admissionSteps: steps });
  await prepareWrites(server);
  updates = 0;
  const answer = send(server);
  let turns = 0;
  for (; updates === 0 && turns < 100; turns++) await Promise.resolve();
  await answer;
  return turns;
}

describe("a write that no asynchronous step handles", () => {
  // A create waits once for the account of its pod.
  const turnsOf: Readonly<Record<string, number>> = {
    create: 1,
    "create with a generated name": 1,
    "apply that creates": 1,
  };

  test.each(allCalls)("goes to the store immediately, without waiting: $verb", async ({ verb, send }) => {
    const elsewhere = anAsyncStep({
      handles: { operations: ["create", "update", "delete"], resources: [{ group: "batch", resource: "jobs" }] },
      validateAsync: async () => undefined,
    });
    const expected = turnsOf[verb] ?? 0;
    expect([await turnsUntilWrite([], send), await turnsUntilWrite([elsewhere], send)]).toEqual([expected, expected]);
    const here = anAsyncStep({ validateAsync: async () => undefined });
    expect(await turnsUntilWrite([here], send)).toBeGreaterThan(expected);
  });
});

/** Counts of a histogram by its labels. */
function countingMetrics(): { metrics: Metrics; counts: Map<string, number> } {
  const counts = new Map<string, number>();
  const metrics: Metrics = {
    ...silentMetrics,
    histogram: ({ name }) => ({
      remove: () => {},
      observe: (_, labels) => {
        if (!name.startsWith("apiserver_admission_")) return;
        const key = `${name.split("_")[2]} ${Object.values(labels ?? {}).join(" ")}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      },
    }),
  };
  return { metrics, counts };
}

test("each step that handles a request is timed, with its outcome", async () => {
  const { metrics, counts } = countingMetrics();
  const refusing = anAsyncStep({
    name: "Refusing",
    handles: { operations: ["create"], resources: [{ group: "", resource: "configmaps" }] },
    mutateAsync: async ({ resource, name }) => {
      throw forbidden(resource.type, name, "no");
    },
    validateAsync: async () => undefined,
  });
  await using server = await TestServer.start({}, { metrics, admissionSteps: [refusing] });
  counts.clear();
  await server.post("/api/v1/namespaces/default/configmaps", { metadata: { name: "a" } });
  expect(Object.fromEntries(counts)).toEqual({
    "controller Refusing admit CREATE true": 1,
    "step admit CREATE true": 1,
  });
  counts.clear();
  await server.post(podsPath, aPod("a", { spec: { priorityClassName: "none" } }));
  expect(counts.get("controller Priority admit CREATE true")).toBe(1);
  expect(counts.get("step admit CREATE true")).toBe(1);
  expect(counts.has("controller DefaultTolerationSeconds admit CREATE false")).toBe(false);
});
