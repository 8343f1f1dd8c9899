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
    expect(leftOut[0]).toMatch(/1 of 2 pods of shop\/deployment\/web was deleted/);
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
      { fault: "drain", target: "a", because: "1 eviction, and 1 refused by budgets" },
      { fault: "delete-pods", target: "shop/deployment/web" },
    ]);
    expect(leftOut.join()).toMatch(
      /no renewals of Leases.*1 eviction of pods that neither the cluster nor the log places/,
    );
  });
});

describe("a drain in an audit log", () => {
  const admin = { username: "kubernetes-admin", groups: ["kubeadm:cluster-admins", "system:authenticated"] };
  /** A line as the API server writes it, at the level RequestResponse unless its body is absent. */
  const line = (
    seconds: number,
    verb: string,
    path: string,
    more: { code?: number; user?: string; body?: unknown },
  ) => {
    const [, namespace, pod, subresource] = /namespaces\/(.*?)\/pods\/([^/]*)\/?(.*)/.exec(path) ?? [];
    const ofPod = { resource: "pods", namespace, name: pod, apiVersion: "v1" };
    const policy = subresource === "eviction" ? { apiGroup: "policy" } : {};
    const node = /nodes\/([^?]*)/.exec(path)?.[1];
    return {
      kind: "Event",
      apiVersion: "audit.k8s.io/v1",
      level: more.body === undefined ? "Metadata" : "RequestResponse",
      auditID: `5f6e2b0a-0000-4000-8000-${String(seconds).padStart(12, "0")}`,
      stage: "ResponseComplete",
      requestURI: path,
      verb,
      user: more.user === undefined ? admin : { username: more.user, groups: ["system:nodes"] },
      sourceIPs: ["10.0.0.7"],
      userAgent: "kubectl/v1.33.1 (linux/amd64) kubernetes/8adc0f0",
      objectRef:
        node === undefined
          ? { ...ofPod, ...policy, ...(subresource === "" ? {} : { subresource }) }
          : { resource: "nodes", name: node, apiVersion: "v1" },
      responseStatus: { metadata: {}, code: more.code ?? 200 },
      ...(more.body === undefined ? {} : { requestObject: more.body }),
      requestReceivedTimestamp: timeOf(seconds).replace("Z", ".118000Z"),
      stageTimestamp: timeOf(seconds).replace("Z", ".131009Z"),
      annotations: { "authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": "" },
    };
  };
  const evict = (seconds: number, pod: string, code: number, body?: unknown) =>
    line(seconds, "create", `/api/v1/namespaces/shop/pods/${pod}/eviction`, { code, body });
  const node = "/api/v1/nodes/worker-2";
  const read = (lines: object[]) =>
    auditIncidents(
      lines.flatMap((each) => auditEntryOf(each as Record<string, unknown>) ?? []),
      {
        graceMs: 50_000,
        podOf: (_, name) =>
          name === "web-1" || name === "db-0" ? { node: "worker-2", workload: `shop/${name}` } : undefined,
        podsOf: () => 3,
      },
    );
  const eviction = { kind: "Eviction", apiVersion: "policy/v1", metadata: { name: "web-1", namespace: "shop" } };

  test("is cordon, evictions and uncordon of kubectl", () => {
    const { found } = read([
      line(0, "patch", node, { body: { spec: { unschedulable: true } } }),
      evict(1, "web-1", 201, eviction),
      evict(1, "db-0", 429, eviction),
      evict(6, "db-0", 429, eviction),
      evict(11, "db-0", 201, eviction),
      line(300, "patch", node, { body: { spec: { unschedulable: null } } }),
    ]);
    expect(found).toEqual([
      {
        fault: "drain",
        target: "worker-2",
        atMs: atOf(0) + 118,
        forMs: 300_000,
        because: "2 evictions, and 2 refused by budgets",
      },
    ]);
  });

  test("that budgets stopped entirely is a drain, and a cordon alone is a note", () => {
    const cordon = line(0, "patch", node, { body: { spec: { unschedulable: true } } });
    expect(read([cordon, evict(1, "db-0", 429, eviction)]).found).toMatchObject([
      { fault: "drain", because: "0 evictions, and 1 refused by budgets" },
    ]);
    expect(read([cordon])).toMatchObject({ found: [], leftOut: [/no renewals/, /worker-2 was cordoned/] });
  });

  test("is the same by JSON patches and by whole Nodes", () => {
    const jsonPatch = (value: boolean) => [{ op: "replace", path: "/spec/unschedulable", value }];
    const whole = (spec: object) => ({ kind: "Node", apiVersion: "v1", metadata: { name: "worker-2" }, spec });
    for (const [cordon, uncordon] of [
      ["patch", [jsonPatch(true), jsonPatch(false)]],
      ["patch", [jsonPatch(true), [{ op: "remove", path: "/spec/unschedulable" }]]],
      ["update", [whole({ unschedulable: true }), whole({ podCIDR: "10.0.1.0/24" })]],
    ].map(([verb, bodies]) =>
      [0, 120].map((at, index) => line(at, verb as string, node, { body: (bodies as unknown[])[index] })),
    ) as [object, object][])
      expect(read([cordon, evict(1, "web-1", 201), uncordon]).found).toMatchObject([{ forMs: 120_000 }]);
  });

  test("without bodies is the patch before the evictions and the patch after them, by a person", () => {
    const { found } = read([
      line(0, "patch", node, {}),
      evict(2, "web-1", 201),
      line(5, "patch", node, { user: "system:serviceaccount:kube-system:node-controller" }),
      line(90, "patch", node, {}),
      line(400, "patch", node, {}),
    ]);
    expect(found).toMatchObject([{ fault: "drain", target: "worker-2", atMs: atOf(0) + 118, forMs: 90_000 }]);
    const label = [line(0, "patch", node, {}), evict(2, "web-1", 201)].map((each) => ({
      ...each,
      user: each.verb === "create" ? { username: "cluster-autoscaler" } : admin,
    }));
    expect(read(label).found).toMatchObject([{ atMs: atOf(2) + 118 }]);
  });

  test("belongs to the node that the kubelet's or the scheduler's request names, even if the dump names another node", () => {
    const status = (seconds: number, name: string, by: string) =>
      line(seconds, "patch", `/api/v1/namespaces/shop/pods/${name}/status`, { user: `system:node:${by}` });
    const target = { kind: "Node", name: "worker-5" };
    const bind = line(20, "create", "/api/v1/namespaces/shop/pods/db-0/binding", { body: { target } });
    const { found, leftOut } = read([
      status(0, "gone-1", "worker-4"),
      evict(10, "gone-1", 201),
      evict(15, "db-0", 201),
      bind,
      evict(40, "db-0", 201),
      evict(50, "gone-9", 201),
    ]);
    expect(found.map(({ target: of, because }) => [of, because])).toEqual([
      ["worker-4", "1 eviction"],
      ["worker-2", "1 eviction"],
      ["worker-5", "1 eviction"],
    ]);
    expect(leftOut.at(-1)).toMatch(/^1 eviction of pods that neither/);
  });

  test("has no effect as a dry run, and counts as a drain even if it deletes instead of evicting", () => {
    const dry = line(0, "patch", `${node}?dryRun=All`, { body: { spec: { unschedulable: true } } });
    expect(read([dry, evict(1, "web-1", 201, { ...eviction, deleteOptions: { dryRun: ["All"] } })]).found).toEqual([]);
    const { found, leftOut } = read([
      line(0, "patch", node, { body: { spec: { unschedulable: true } } }),
      line(1, "delete", "/api/v1/namespaces/shop/pods/web-1", {}),
    ]);
    expect(found).toMatchObject([{ fault: "drain", because: "1 eviction" }]);
    expect(leftOut.join()).not.toMatch(/deleted/);
  });
});

test("a scenario has its faults in order from ten seconds on, and states its omissions", () => {
  const text = scenarioOf(
    {
      found: [
        {
          fault: "delete-pods",
          target: "shop/deployment/web",
          atMs: atOf(90),
          because: "2 pods deleted at the same time",
        },
        { fault: "cut-node", target: "a", atMs: atOf(0), forMs: 130_400, because: "silent" },
      ],
      leftOut: ["b was cordoned"],
    },
    { source: "record.json", cluster: "cluster.json" },
  );
  expect(text.split("\n").slice(2)).toEqual([
    "# Not in this scenario: b was cordoned",
    "faults:",
    '  - { at: 10s, fault: cut-node, node: "a", for: 2m10s } # silent',
    '  - { at: 1m40s, fault: delete-pods, workload: "shop/deployment/web" } # 2 pods deleted at the same time',
    "run: 17m20s",
    "",
  ]);
});

test("the scenario of a record begins with the record's own state before its first fault", () => {
  const found = [{ fault: "kill-node", target: "a", atMs: atOf(60), because: "silent" }] as const;
  const [, command] = scenarioOf({ found, leftOut: [] }, { source: "record.json", cluster: undefined }).split("\n");
  expect(command).toBe("#   kintsugi rehearse --from record.json --until 2026-01-01T12:00:50Z --scenario THIS-FILE");
});
