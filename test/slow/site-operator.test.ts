import { configMaps, secrets } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { explore, type ExploreOptions } from "@kintsugi/testing";
import { expect, test } from "vitest";
import { siteNamespace as namespace, registryKey, siteOperator } from "./operator-suites/site-operator.ts";

// The suite of an operator that runs in virtual time: users create and remove sites, while a
// quarter of its requests fail, writes conflict, and its process crashes.

const names = ["a", "b", "c", "d", "e", "f"];
const makeSite = (name: string) => async (client: Client) => {
  await client.create(configMaps, { metadata: { namespace, name, labels: { site: "true" } } });
};
const removeSite = (name: string) => (client: Client) => client.delete(configMaps, { namespace, name });

const run: ExploreOptions = {
  seeds: 50,
  durationMs: 60_000,
  settleMs: 60_000,
  setUp: async (client) => void (await client.create(configMaps, { metadata: registryKey, data: {} })),
  users: names.flatMap((name, index) => [
    { atMs: 2_000 + index * 8_000, act: makeSite(name) },
    { atMs: 9_000 + index * 8_000, act: removeSite(name) },
  ]),
  atEnd: async (client) => {
    const registry = await client.get(configMaps, registryKey);
    const left = Object.keys(registry.data ?? {});
    if (left.length > 0) return `the registry still has ${left.join(", ")}`;
    const owned = (await client.list(secrets, { namespace })).items;
    return owned.length > 0 ? "a Secret outlived the site that owned it" : undefined;
  },
};

test("the operator removes all of its entries, in 50 runs under faults", async () => {
  const report = await explore(siteOperator({ isCareful: true }), run);
  expect(report.failure?.message).toBeUndefined();
});

test("an operator that drops its finalizer after a conflict is detected", async () => {
  const report = await explore(siteOperator({ isCareful: false }), run);
  expect(report.failure?.message).toMatch(/^the registry still has [a-f]/);
  expect(report.failure?.troubles.map(({ what }) => what)).toContain("writes conflict");
});
