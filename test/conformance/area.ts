import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ServedCluster } from "@kintsugi/test-server/factory";
import { type ApiOperations, supportApiOperations } from "./api-operations.ts";
import { ConformanceClient, type Json, startConformanceCluster } from "./conformance-cluster.ts";
import { wireEncodings } from "./wire.ts";

/** A test of upstream's, by its name, with its checks. */
export interface AreaTest {
  readonly tier: "A" | "B" | "C";
  readonly codename: string;
  readonly check: (api: ConformanceClient) => Promise<void>;
}

export type OperationsRow = readonly [codename: string, tier: "A", operations: ApiOperations, isNamespaced?: true];

/** Makes tests of the rows that use all operations of a kind. */
export function operationsTests(rows: readonly OperationsRow[]): AreaTest[] {
  return rows.map(([codename, tier, operations, isNamespaced]) => ({
    tier,
    codename,
    check: async (api) => {
      const namespace = isNamespaced ? { namespace: await api.namespace("operations") } : {};
      await supportApiOperations(api, { ...operations, ...namespace });
    },
  }));
}

/** One test makes 500 changes, and a machine may be busy. */
const timeLimitMs = 180_000;

/** Runs the tests of an area on a separate cluster, with JSON and with protobuf. */
export function describeArea(tests: readonly AreaTest[], ...flags: string[]): void {
  let cluster: ServedCluster;
  beforeAll(async () => {
    cluster = await startConformanceCluster(...flags);
  });
  afterAll(() => cluster[Symbol.asyncDispose]());
  describe.each(wireEncodings)("with %s", (encoding) => {
    const rows = tests.map(({ codename, tier, check }) => [codename, tier, check] as const);
    test.each(rows)(
      "%s (tier %s)",
      async (_codename, _tier, check) => {
        const api = new ConformanceClient(cluster, encoding);
        expect((await api.get("/api/v1/namespaces/default")).contentType).toContain(encoding);
        await check(api);
      },
      timeLimitMs,
    );
  });
}

export const typed = (apiVersion: string, kind: string, rest: Json) => (): Json => ({
  apiVersion,
  kind,
  ...structuredClone(rest),
});

const condition = (type: string, reason: string) => ({
  type,
  reason,
  status: "False",
  message: "of a test",
  lastTransitionTime: "2026-01-01T00:00:00Z",
});

/** A status whose conditions a patch sets and an update extends. */
export const byConditions = (first: string, second: string): NonNullable<ApiOperations["status"]> => ({
  patch: { conditions: [condition(first, "PatchStatus")] },
  update: (object) => {
    object.status.conditions = [...(object.status.conditions ?? []), condition(second, "E2E")];
  },
  shows: (object) => object.status.conditions?.map(({ type, reason }: Json) => [type, reason]),
});
