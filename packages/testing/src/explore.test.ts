import { configMaps, isApiError, secrets } from "@kintsugi/api";
import { expect, test } from "vitest";
import { explore, type ExploreOptions, type Operator } from "./explore.ts";

// An operator that creates a Secret for each ConfigMap of its label, and removes the Secret before
// the ConfigMap is removed: the finalizer keeps the ConfigMap until then.

const finalizer = "example.com/secret";
const namespace = "default";
const key = { namespace, name: "app" };
const pauseMs = 500;

/** @param isCareful false plants the bug: the operator removes its finalizer before its Secret. */
function makeOperator(isCareful: boolean): Operator {
  return async ({ client, clock, signal }) => {
    while (!signal.aborted) {
      await reconcile().catch(() => {});
      await clock.sleep(pauseMs, signal).catch(() => {});
    }
    async function reconcile(): Promise<void> {
      const found = await client.find(configMaps, key);
      if (found === undefined) return;
      const held = found.metadata.finalizers?.includes(finalizer) === true;
      const release = () => client.update(configMaps, { ...found, metadata: { ...found.metadata, finalizers: [] } });
      const removeSecret = () => client.delete(secrets, key).catch(ignore("NotFound"));
      if (found.metadata.deletionTimestamp !== undefined) {
        if (!held) return;
        for (const step of isCareful ? [removeSecret, release] : [release, removeSecret]) await step();
        return;
      }
      if (!held)
        await client.update(configMaps, { ...found, metadata: { ...found.metadata, finalizers: [finalizer] } });
      else await client.create(secrets, { metadata: key }).catch(ignore("AlreadyExists"));
    }
  };
}

function ignore(reason: "AlreadyExists" | "NotFound") {
  return (error: unknown) => {
    if (!isApiError(error, reason)) throw error;
  };
}

const run: ExploreOptions = {
  seeds: 10,
  durationMs: 60_000,
  settleMs: 60_000,
  setUp: async (client) => void (await client.create(configMaps, { metadata: key })),
  users: [{ atMs: 30_000, act: (client) => client.delete(configMaps, key).then(() => {}) }],
  atEnd: async (client) => {
    const [owner, owned] = [await client.find(configMaps, key), await client.find(secrets, key)];
    if (owner !== undefined) return "the ConfigMap was deleted a minute ago, and is still there";
    return owned === undefined ? undefined : "the Secret of a ConfigMap that is gone is still there";
  },
};

test("an operator that removes its finalizer last leaves nothing behind, whatever happens", async () => {
  const report = await explore(makeOperator(true), run);
  expect(report.failure).toBeUndefined();
  expect(report.seeds).toBe(10);
}, 300_000);

test("an operator that removes its finalizer first is detected, with a minimal set of faults", async () => {
  const report = await explore(makeOperator(false), { ...run, seeds: 200 });
  expect(report.failure?.message).toBe("the Secret of a ConfigMap that is gone is still there");
  expect(report.failure?.troubles.length).toBeLessThanOrEqual(2);
  const again = await explore(makeOperator(false), { ...run, seeds: 1, firstSeed: report.failure?.seed ?? 0 });
  expect(again.failure).toEqual(report.failure);
  const timeline = report.failure?.timeline ?? [];
  expect(timeline.map(({ who }) => who)).toEqual(expect.arrayContaining(["operator", "user", "fault"]));
  expect(timeline.at(-1)).toMatchObject({ who: "invariant", what: report.failure?.message });
  expect(timeline.map(({ what }) => what)).toContain("delete configmaps/default/app");
  expect(report.failure?.html).toContain(`<h1>Seed ${report.failure?.seed}: the Secret of a ConfigMap that is gone`);
}, 300_000);
