import { formatTimestamp, parseTimestamp } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { auditEntryOf, auditIncidents } from "./audit-incidents.ts";
import { scenarioOf } from "./incident.ts";
import type { RecordedChange } from "../source/raw-object.ts";
import { recordIncidents } from "./record-incidents.ts";

const atOf = (seconds: number) => parseTimestamp("2026-01-01T12:00:00Z") + 1000 * seconds;
const timeOf = (seconds: number) => formatTimestamp(atOf(seconds));

function node(name: string, ready: string, seconds: number, more: { bootID?: string; unschedulable?: true } = {}) {
  const { bootID = "first", ...spec } = more;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name },
    spec,
    status: {
      conditions: [{ type: "Ready", status: ready, lastTransitionTime: timeOf(seconds) }],
      nodeInfo: { bootID },
    },
  };
}

function pod(name: string, on: string, isGoing = false) {
  const metadata = { name, namespace: "shop", uid: name, ...(isGoing ? { deletionTimestamp: timeOf(0) } : {}) };
  return { apiVersion: "v1", kind: "Pod", metadata, spec: { nodeName: on } };
}

const put = (seconds: number, object: RecordedChange["object"]): RecordedChange => ({
  atMs: atOf(seconds),
  is: "put",
  object,
});

const base = [node("a", "True", 0), node("b", "True", 0), pod("web-1", "a"), pod("web-2", "b"), pod("db-1", "b")];

function incidents(...observed: RecordedChange[]) {
  const workloadOf = ({ metadata }: RecordedChange["object"]) =>
    `shop/deployment/${(metadata as { name: string }).name.split("-")[0]}`;
  return recordIncidents(base, observed, { graceMs: 50_000, workloadOf });
}

describe("from a record", () => {
  test("a silent node begins at its last renewal, and without a boot it counts as cut off", () => {
    const { found } = incidents(put(101, node("a", "Unknown", 100)), put(181, node("a", "True", 180)));
    expect(found).toMatchObject([{ fault: "cut-node", target: "a", atMs: atOf(50), forMs: 130_000 }]);
    const booted = put(181, node("a", "True", 180, { bootID: "second" }));
    expect(incidents(put(101, node("a", "Unknown", 100)), booted).found).toMatchObject([{ fault: "kill-node" }]);
    expect(incidents(put(101, node("a", "Unknown", 100))).found).toMatchObject([
      { fault: "kill-node", atMs: atOf(50) },
    ]);
  });

  test("a drain is derived if pods leave a cordoned node, and a cordon alone is a note", () => {
    const cordoned = put(10, node("b", "True", 0, { unschedulable: true }));
    const { found } = incidents(cordoned, put(12, pod("web-2", "b", true)), put(60, node("b", "True", 0)));
    expect(found).toMatchObject([{ fault: "drain", target: "b", atMs: atOf(10), forMs: 50_000 }]);
    expect(incidents(cordoned)).toMatchObject({ found: [], leftOut: [/b was cordoned.*none of its pods was removed/] });
  });

  test("the concurrent deletion of all pods of a workload is derived, and fewer deletions are a note", () => {
    const all = [put(5, pod("web-1", "a", true)), put(6, pod("web-2", "b", true))];
    expect(incidents(...all).found).toMatchObject([{ fault: "delete-pods", target: "shop/deployment/web" }]);
    const { found, leftOut } = incidents(all[0] as RecordedChange);
    expect(found).toEqual([]);
    expect(leftOut[0]).toMatch(/1 of 2 pods of shop\/deployment\/web were deleted/);
  });

  test("no incident is derived if the workload itself was changed", () => {
    const owner = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace: "shop" } };
    const changed = put(4, { ...owner, spec: { replicas: 0 } });
    expect(incidents(changed, put(5, pod("web-1", "a", true)), put(6, pod("web-2", "b", true)))).toEqual({
      found: [],
      leftOut: [],
    });
  });
});

describe("from an audit log", () => {
  const event = (seconds: number, fields: object) => ({
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    stage: "ResponseComplete",
    requestReceivedTimestamp: timeOf(seconds),
    responseStatus: { code: 200 },
    user: { username: "ann" },
    ...fields,
  });
  const renewal = (name: string, seconds: number) =>
    event(seconds, {
      verb: "update",
      user: { username: `system:node:${name}` },
      objectRef: { resource: "leases", namespace: "kube-node-lease", name },
    });
  const options = {
    graceMs: 50_000,
    podOf: (_: string, name: string) => (name === "web-1" ? { node: "a", workload: "shop/deployment/web" } : undefined),
    podsOf: () => 1,
  };
  const read = (events: object[]) =>
    auditIncidents(
      events.flatMap((each) => auditEntryOf(each as Record<string, unknown>) ?? []),
      options,
    );

  test("silences are derived from the renewals of Leases", () => {
    const { found } = read([renewal("a", 0), renewal("b", 0), renewal("a", 10), renewal("b", 90), renewal("a", 200)]);
    expect(found).toMatchObject([
      { fault: "cut-node", target: "a", atMs: atOf(10), forMs: 190_000 },
      { fault: "cut-node", target: "b", atMs: atOf(0), forMs: 90_000 },
      { fault: "kill-node", target: "b", atMs: atOf(90) },
    ]);
  });

  test("drains and deletions are derived if they were allowed", () => {
    const evict = (name: string, code: number) =>
      event(20, {
        verb: "create",
        responseStatus: { code },
        objectRef: { resource: "pods", subresource: "eviction", namespace: "shop", name },
      });
    const drop = event(100, { verb: "delete", objectRef: { resource: "pods", namespace: "shop", name: "web-1" } });
    const { found, leftOut } = read([evict("web-1", 429), evict("web-1", 201), evict("web-9", 201), drop]);
    expect(found).toMatchObject([
      { fault: "drain", target: "a", because: "1 evictions" },
      { fault: "delete-pods", target: "shop/deployment/web" },
    ]);
    expect(leftOut.join()).toMatch(/no renewals of Leases.*1 evictions of pods that the cluster does not contain/);
  });
});

test("a scenario has its faults in order from ten seconds on, and states its omissions", () => {
  const text = scenarioOf(
    {
      found: [
        { fault: "delete-pods", target: "shop/deployment/web", atMs: atOf(90), because: "2 simultaneous pods" },
        { fault: "cut-node", target: "a", atMs: atOf(0), forMs: 130_400, because: "silent" },
      ],
      leftOut: ["b was cordoned"],
    },
    { source: "record.json", cluster: "cluster.json" },
  );
  expect(text.split("\n").slice(2)).toEqual([
    "# Not in it: b was cordoned",
    "faults:",
    '  - { at: 10s, fault: cut-node, node: "a", for: 2m10s } # silent',
    '  - { at: 1m40s, fault: delete-pods, workload: "shop/deployment/web" } # 2 simultaneous pods',
    "run: 17m20s",
    "",
  ]);
});

test("the scenario of a record begins with the record's own state before its first fault", () => {
  const found = [{ fault: "kill-node", target: "a", atMs: atOf(60), because: "silent" }] as const;
  const [, command] = scenarioOf({ found, leftOut: [] }, { source: "record.json", cluster: undefined }).split("\n");
  expect(command).toBe("#   kintsugi rehearse --from record.json --until 2026-01-01T12:00:50Z --scenario THIS-FILE");
});
