import type { Pod } from "@kintsugi/api";
import type { Explanation } from "@kintsugi/explanation";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";

const lacking = whyNoKubectlCluster();
const cannot = sayWhyNot("explanations", lacking);

const manifest = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 0
      topologySpreadConstraints:
        - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}
      containers: [{name: c, image: "busybox:1", command: [sleep, "3600"]}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {minAvailable: 2, selector: {matchLabels: {app: web}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 1
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      terminationGracePeriodSeconds: 0
      tolerations: [{key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 6}]
      containers: [{name: c, image: "busybox:1", command: [sleep, "3600"]}]
---
apiVersion: v1
kind: Pod
metadata: {name: big}
spec: {containers: [{name: c, image: "busybox:1", resources: {requests: {cpu: "999"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: crash}
spec: {containers: [{name: c, image: "busybox:1", command: [sh, -c, "exit 3"]}]}
`;

let cluster: LabCluster;
if (!cannot) {
  beforeAll(async () => {
    cluster = await startLabCluster({ name: "explain", nodes: 2 });
    await cluster.apply(manifest);
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());
}

const explain = async (...words: string[]): Promise<Explanation> => {
  const { code, stdout, stderr } = await cluster.kintsugi("explain", ...words, "-o", "json");
  if (code !== 0) throw new Error(`explain ${words.join(" ")} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Explanation;
};
const reasonOf = ({ reasons }: Explanation, code: string) => reasons.find((reason) => reason.code === code);
const drainConditions = async (node: string) => {
  const { status } = await cluster.get("node", node);
  return Object.fromEntries(
    (status.conditions ?? [])
      .filter(({ type }) => type === "DrainInProgress" || type === "Drained")
      .map(({ type, status: value, reason }) => [type, `${value} ${reason}`]),
  );
};
const nodeOf = async (pod: string) => (await cluster.get<Pod>("pod", pod)).spec?.nodeName ?? "";

describe.skipIf(cannot)("on a real cluster", () => {
  test("a pod without a node has each node's reason, by the scheduler's own filters", async () => {
    await eventually(
      "the scheduler has looked",
      async () => reasonOf(await explain("pod", "big"), "Unschedulable") !== undefined,
    );
    expect(reasonOf(await explain("pod", "big"), "Unschedulable")).toMatchObject({
      because: "Neither of the 2 nodes fits.",
      details: [
        "node-1 and node-2: has too little cpu free",
        expect.stringMatching(/^the pod requests 999 of cpu; the largest free amount is \S+, on node-\d$/),
      ],
    });
  });

  test("a container in back-off has the time of its next start, and starts then", async () => {
    let due: string | undefined;
    await eventually("its back-off is at least 4 s", async () => {
      const reason = reasonOf(await explain("pod/crash"), "BackOff");
      due = reason?.due?.at;
      return due !== undefined && / of (4|8|10)s$/.test(reason?.awaits ?? "");
    });
    const before = (await cluster.get("pod", "crash")).status.containerStatuses?.[0]?.restartCount ?? 0;
    let next: string | undefined;
    await eventually("it was restarted", async () => {
      const [status] = (await cluster.get("pod", "crash")).status.containerStatuses ?? [];
      if (status === undefined || status.restartCount <= before) return false;
      // The last state belongs to the previous start while this start runs or has just ended.
      next = (status.state.running ?? status.state.terminated ?? status.lastState.terminated)?.startedAt;
      return next !== undefined;
    });
    const lateMs = Date.parse(next ?? "") - Date.parse(due ?? "");
    expect(lateMs).toBeGreaterThanOrEqual(-1000);
    expect(lateMs).toBeLessThan(5000);
  });

  test("a drain is blocked by a budget, times out, and continues when it is repeated", async () => {
    await cluster.kubectl("rollout", "status", "deploy/web", "--timeout=30s");
    await cluster.kubectl("wait", "pod/db-0", "--for=condition=Ready", "--timeout=20s");
    await cluster.kubectl("delete", "pod", "crash", "big", "--grace-period=0", "--force");
    const node = await nodeOf("db-0");
    const other = node === "node-1" ? "node-2" : "node-1";
    const refused = await cluster.kintsugi("drain", other, "--timeout", "1s");
    expect(refused.stderr).toMatch(
      /waiting to evict default\/web-\S+: The budget web allows no eviction: 2 pods of 2 are healthy, and it requires 2\./,
    );
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`pod of node ${other} did not end in time`),
    });
    expect(await drainConditions(other)).toEqual({
      DrainInProgress: "False KintsugiDrainFailed",
      Drained: "False KintsugiDrainFailed",
    });
    expect(reasonOf(await explain("node", other), "Cordoned")?.because).toContain("because its drain failed");

    const running = cluster.kintsugi("drain", other, "--timeout", "30s");
    await eventually(
      "the drain is reported",
      async () => (await drainConditions(other))["DrainInProgress"] === "True KintsugiDrainStarted",
    );
    const during = await explain("node", other);
    expect(during.reasons.map(({ code }) => code)).toEqual(["BudgetExhausted", "Draining"]);
    await cluster.kubectl("patch", "pdb", "web", "--type=merge", "-p", '{"spec":{"minAvailable":1}}');
    expect(await running).toMatchObject({ code: 0 });
    expect(await drainConditions(other)).toEqual({
      DrainInProgress: "False KintsugiDrainCompleted",
      Drained: "True KintsugiDrainCompleted",
    });
    // The only remaining pod now blocks the budget.
    await eventually(
      "the budget is counted",
      async () => reasonOf(await explain("pdb", "web"), "BudgetExhausted") !== undefined,
    );
    expect(await cluster.kintsugi("uncordon", other)).toMatchObject({ code: 0 });
    expect(await drainConditions(other)).toEqual({
      DrainInProgress: "False KintsugiUncordoned",
      Drained: "False KintsugiUncordoned",
    });
    expect((await explain("node", other)).reasons).toEqual([]);
  });

  test("a node's death is explained: the evicted pods with their times, and a StatefulSet that waits for it", async () => {
    const node = await nodeOf("db-0");
    expect(await cluster.kintsugi("node", "kill", node)).toMatchObject({ code: 0 });
    let due: string | undefined;
    await eventually("the pod has a time to leave", async () => {
      due = reasonOf(await explain("pod", "db-0"), "PodLeaves")?.due?.at;
      return due !== undefined;
    });
    expect(reasonOf(await explain("node", node), "NodeSilent")?.because).toContain(`Node ${node} does not respond`);
    await eventually(
      "the StatefulSet waits",
      async () => reasonOf(await explain("sts/db"), "WaitsForSilentNode") !== undefined,
    );
    const { metadata } = await cluster.get("pod", "db-0");
    expect(Math.abs(Date.parse(metadata.deletionTimestamp ?? "") - Date.parse(due ?? ""))).toBeLessThan(2500);
    const waits = reasonOf(await explain("workload", "db"), "WaitsForSilentNode");
    const [first] = waits?.remedies ?? [];
    expect(first?.command).toBe(`kintsugi node fence ${node} --name ${cluster.name}`);
    const { stdout } = await cluster.kintsugi("explain", "pod", "db-0");
    expect(stdout).toContain(`   Waits for: node ${node} to be ready again and to confirm the end\n`);
    // The command in the explanation helps.
    expect(await cluster.kintsugi("node", "fence", node)).toMatchObject({ code: 0 });
    await eventually("the pod runs elsewhere", async () => (await explain("sts/db")).reasons.length === 0);
    expect(await nodeOf("db-0")).not.toBe(node);
  });
});
