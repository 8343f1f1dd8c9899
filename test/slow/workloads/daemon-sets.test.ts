import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { workloadKubectls, sayWhyNot, whyNoKubectlCluster } from "../../support/host-abilities.ts";
import { type KubernetesObject, type LabCluster, startLabCluster } from "../../support/lab-cluster.ts";
import { eventually } from "../../support/run-program.ts";
import { isServing } from "../../support/observe/follow-serving.ts";

const kubectls = workloadKubectls();
const lacking = whyNoKubectlCluster();
sayWhyNot("DaemonSets", lacking);

/** The same image by another name: a change of the template that works. */
const otherName = "docker.io/library/busybox:1";

const manifest = (name: string) => `apiVersion: apps/v1
kind: DaemonSet
metadata: {name: ${name}}
spec:
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: c, image: "busybox:1", command: [sleep, "3600"]}]
`;

let cluster: LabCluster;
if (lacking === undefined) {
  beforeAll(async () => {
    cluster = await startLabCluster({ name: "daemons", nodes: 2 });
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());
}

const pods = async (name: string) =>
  (await cluster.get<{ items: KubernetesObject[] }>("pods", "-l", `app=${name}`)).items;
const serving = async (name: string) => (await pods(name)).filter(isServing);
const nodesOf = (list: readonly KubernetesObject[]) => list.map(({ spec }) => spec.nodeName ?? "").toSorted();
const runsOn = (name: string, nodes: readonly string[]) =>
  eventually(`${name} on ${nodes.join(" and ") || "no node"}`, async () => {
    const list = await pods(name);
    return list.every(isServing) && nodesOf(list).join() === nodes.join() ? list : undefined;
  });
const both = ["node-1", "node-2"];

const ofEach = describe.concurrent.each(lacking === undefined ? kubectls : []);
ofEach("kubectl %s", (version, kubectl) => {
  const ok = async (args: string) => {
    const { code, stdout, stderr } = await cluster.tryKubectl(args.split(" "), { program: kubectl });
    if (code !== 0) throw new Error(`kubectl ${args}: ${stdout}${stderr}`);
    return stdout;
  };

  test("rolls a DaemonSet out, rolls it back, and restarts it, one node at a time", async () => {
    const name = `agent-${version.replace(".", "-")}`;
    await cluster.apply(manifest(name));
    await ok(`rollout status ds/${name} --timeout=30s`);
    const first = await runsOn(name, both);
    expect(await ok(`get ds ${name} --no-headers`)).toMatch(/^agent-\S+ +2 +2 +2 +2 +2 +<none> /);
    await ok(`set image ds/${name} c=${otherName}`);
    await ok(`rollout status ds/${name} --timeout=30s`);
    const second = await serving(name);
    expect(second.map(({ metadata }) => metadata.uid)).not.toEqual(expect.arrayContaining([first[0]?.metadata.uid]));
    expect(await ok(`rollout history ds/${name}`)).toMatch(/\n1 .*\n2 /);
    expect(await ok(`rollout history ds/${name} --revision=1`)).toMatch(/Image:\s+busybox:1\n/);
    await ok(`rollout undo ds/${name}`);
    await ok(`rollout status ds/${name} --timeout=30s`);
    expect(await ok(`rollout history ds/${name}`)).toMatch(/\n2 .*\n3 /);
    await ok(`rollout restart ds/${name}`);
    await ok(`rollout status ds/${name} --timeout=30s`);
    await runsOn(name, both);
    expect(await ok(`get controllerrevisions -l app=${name} --no-headers`)).toMatch(/daemonset\.apps\/agent/);
    await ok(`delete ds ${name} --timeout=30s`);
    await runsOn(name, []);
  });
});

describe.skipIf(lacking !== undefined)("a DaemonSet on real nodes", () => {
  const name = "agent";

  test("keeps its pods through a drain, and removes them from a node with a taint that they do not tolerate", async () => {
    await cluster.apply(manifest(name));
    const before = await runsOn(name, both);
    await cluster.kubectl("drain", "node-2", "--ignore-daemonsets", "--timeout=20s");
    expect((await runsOn(name, both)).map(({ metadata }) => metadata.uid).toSorted()).toEqual(
      before.map(({ metadata }) => metadata.uid).toSorted(),
    );
    await cluster.kubectl("uncordon", "node-2");
    await cluster.kubectl("taint", "node", "node-2", "example.com/reserved=yes:NoExecute");
    await runsOn(name, ["node-1"]);
    await cluster.kubectl("taint", "node", "node-2", "example.com/reserved-");
    await runsOn(name, both);
  });

  test("keeps the pod of a killed node, which runs again when the node returns", async () => {
    const [, before] = (await runsOn(name, both)).toSorted((a, b) =>
      (a.spec.nodeName ?? "").localeCompare(b.spec.nodeName ?? ""),
    );
    await cluster.kintsugi("node", "kill", "node-2");
    await eventually("the taint of an unreachable node", async () => {
      const { spec } = await cluster.get("node", "node-2");
      return spec.taints?.some(({ key }) => key === "node.kubernetes.io/unreachable");
    });
    const left = (await pods(name)).find(({ spec }) => spec.nodeName === "node-2");
    expect([left?.metadata.uid, left?.metadata.deletionTimestamp]).toEqual([before?.metadata.uid, undefined]);
    await cluster.kintsugi("node", "return", "node-2");
    const after = await runsOn(name, both);
    expect(after.map(({ metadata }) => metadata.uid)).toContain(before?.metadata.uid);
  });

  test("has its pod Running on a node that joins within a second of Ready", async () => {
    await cluster.kintsugi("node", "kill", "node-2");
    await cluster.kubectl("delete", "node", "node-2");
    await runsOn(name, ["node-1"]);
    await cluster.kintsugi("node", "return", "node-2");
    const joined = (await runsOn(name, both)).find(({ spec }) => spec.nodeName === "node-2");
    const node = await cluster.get("node", "node-2");
    const readyMs = Date.parse(sinceOf(node));
    const runningMs = Date.parse(joined?.status.containerStatuses?.[0]?.state.running?.startedAt ?? "");
    // Both times are whole seconds, so a second may appear as two.
    expect(runningMs - readyMs).toBeLessThanOrEqual(2000);
  });
});

function sinceOf({ status }: KubernetesObject): string {
  const ready = status.conditions?.find(({ type }) => type === "Ready") as { lastTransitionTime?: string } | undefined;
  return ready?.lastTransitionTime ?? "";
}
