import { isConditionTrue, type Pod, type StatefulSet } from "@kintsugi/api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { workloadKubectls, sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";
import { showsEvents } from "../support/observe/shows-events.ts";
import { onlyInAllSamples } from "../support/samples.ts";

const kubectls = workloadKubectls();
const lacking = whyNoKubectlCluster();
sayWhyNot("StatefulSets", lacking);

/** The same image by another name: a change of the template that works. */
const otherName = "docker.io/library/busybox:1";

const manifest = (name: string, replicas: number) => `apiVersion: v1
kind: Service
metadata: {name: ${name}}
spec: {clusterIP: None, selector: {app: ${name}}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: ${name}}
spec:
  replicas: ${replicas}
  serviceName: ${name}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      terminationGracePeriodSeconds: 0
      topologySpreadConstraints:
        - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: ${name}}}}
      containers: [{name: c, image: "busybox:1", command: [sleep, "3600"]}]
`;

let cluster: LabCluster;
if (lacking === undefined) {
  beforeAll(async () => {
    cluster = await startLabCluster({ name: "stateful-sets", nodes: 3 });
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());
}

const podsOf = async (name: string) => (await cluster.get<{ items: Pod[] }>("pods", "-l", `app=${name}`)).items;
const isServing = ({ metadata, status }: Pod) =>
  metadata.deletionTimestamp === undefined && isConditionTrue(status?.conditions, "Ready");
const imagesOf = async (name: string) =>
  Object.fromEntries((await podsOf(name)).map(({ metadata, spec }) => [metadata.name, spec?.containers[0]?.image]));

const both = describe.concurrent.each(lacking === undefined ? kubectls : []);
both("kubectl %s", (version, kubectl) => {
  const ok = async (args: string, ...rest: string[]) => {
    const result = await cluster.tryKubectl([...args.split(" "), ...rest], { program: kubectl });
    if (result.code !== 0)
      throw new Error(`kubectl ${args} ended with ${result.code}: ${result.stdout}${result.stderr}`);
    return result.stdout;
  };
  const db = `db-${version.replaceAll(".", "-").toLowerCase()}`;
  const rolledOut = () => ok(`rollout status sts/${db} --timeout=30s`);
  const revisions = async () =>
    [...(await ok(`rollout history sts/${db}`)).matchAll(/^(\d+)\s/gm)].map(([, revision]) => revision);

  test("starts, scales, updates, rolls back and deletes a StatefulSet", async () => {
    await cluster.apply(manifest(db, 2));
    await rolledOut();
    const [first, second] = await podsOf(db);
    expect([first?.metadata.name, second?.metadata.name]).toEqual([`${db}-0`, `${db}-1`]);
    expect(second?.metadata.labels).toMatchObject({
      "statefulset.kubernetes.io/pod-name": `${db}-1`,
      "apps.kubernetes.io/pod-index": "1",
    });
    const readyAt = first?.status?.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime ?? "";
    expect(readyAt <= (second?.metadata.creationTimestamp ?? "")).toBe(true);
    expect(await ok(`exec ${db}-1 -- hostname`)).toBe(`${db}-1\n`);
    expect(await ok(`get sts ${db} -o wide`)).toMatch(
      new RegExp(`NAME\\s+READY\\s+AGE\\s+CONTAINERS\\s+IMAGES\n${db}\\s+2/2\\s+\\d+s\\s+c\\s+busybox:1\n`),
    );

    expect(await ok(`scale sts/${db} --replicas=3`)).toBe(`statefulset.apps/${db} scaled\n`);
    await rolledOut();
    const strategy = (partition: number) =>
      JSON.stringify({ spec: { updateStrategy: { rollingUpdate: { partition } } } });
    await ok(`patch sts ${db} -p`, strategy(2));
    expect(await ok(`set image sts/${db} c=${otherName}`)).toBe(`statefulset.apps/${db} image updated\n`);
    expect(await rolledOut()).toContain("partitioned roll out complete: 1 new pods have been updated...");
    expect(await imagesOf(db)).toEqual({ [`${db}-0`]: "busybox:1", [`${db}-1`]: "busybox:1", [`${db}-2`]: otherName });
    await ok(`patch sts ${db} -p`, strategy(0));
    expect(await rolledOut()).toContain("partitioned roll out complete: 3 new pods have been updated...");
    expect(new Set(Object.values(await imagesOf(db)))).toEqual(new Set([otherName]));

    expect(await revisions()).toEqual(["1", "2"]);
    expect(await ok(`rollout history sts/${db} --revision=1`)).toMatch(/Image:\s+busybox:1\n/);
    expect(await ok(`rollout undo sts/${db} --to-revision=2`)).toBe(
      `statefulset.apps/${db} skipped rollback (current template already matches revision 2)\n`,
    );
    expect(await ok(`rollout undo sts/${db}`)).toBe(`statefulset.apps/${db} rolled back\n`);
    await rolledOut();
    expect(new Set(Object.values(await imagesOf(db)))).toEqual(new Set(["busybox:1"]));
    expect(await revisions()).toEqual(["2", "3"]);

    expect(await ok(`scale sts/${db} --replicas=1`)).toBe(`statefulset.apps/${db} scaled\n`);
    await eventually("one pod is left", async () => (await podsOf(db)).length === 1);
    for (const change of [
      `set env sts/${db} A=1`,
      `set resources sts/${db} --requests=cpu=5m`,
      `rollout restart sts/${db}`,
    ]) {
      await ok(change);
      await rolledOut();
    }
    expect(await revisions()).toEqual(["2", "3", "4", "5", "6"]);
    const describeDb = () => ok(`describe sts ${db}`);
    const described = await describeDb();
    for (const line of [/Replicas:\s+1 desired \| 1 total/, /Update Strategy:\s+RollingUpdate/])
      expect(described).toMatch(line);
    await showsEvents(cluster, describeDb, [
      new RegExp(
        `Normal\\s+SuccessfulCreate\\s.*statefulset-controller\\s+create Pod ${db}-0 in StatefulSet ${db} successful`,
      ),
      new RegExp(`Normal\\s+SuccessfulDelete\\s.*delete Pod ${db}-2 in StatefulSet ${db} successful`),
    ]);
    expect(await ok("get controllerrevisions")).toMatch(new RegExp(`${db}-\\w+\\s+statefulset\\.apps/${db}\\s+6\\s`));

    const refused = await cluster.tryKubectl(["patch", "sts", db, "-p", '{"spec":{"serviceName":"other"}}'], {
      program: kubectl,
    });
    expect(refused.stderr).toContain("spec: Forbidden: updates to statefulset spec for fields other than 'replicas',");
    await ok(`delete sts,svc ${db} --timeout=30s`);
    await eventually("its pods and revisions are gone", async () => {
      const left = await ok(`get pods,controllerrevisions -l app=${db} -o name`);
      return left === "";
    });
  });
});

describe.skipIf(lacking !== undefined)("a StatefulSet whose node", () => {
  const nodeOf = async (name: string) => (await cluster.get<Pod>("pod", name)).spec?.nodeName ?? "";
  const allServe = (elsewhereThan?: string) =>
    eventually("three pods serve", async () => {
      const pods = await podsOf("db");
      return pods.length === 3 && pods.every((pod) => isServing(pod) && pod.spec?.nodeName !== elsewhereThan);
    });
  const waits = (pod: string, node: string) =>
    eventually(`${pod} waits`, async () => {
      const { status } = await cluster.get<StatefulSet>("sts", "db");
      const message = status?.conditions?.find(({ type }) => type === "kintsugi.dev/WaitingForNode")?.message ?? "";
      return message.includes(`Pod ${pod} is not replaced: it may still run on node ${node}`) && message;
    });

  test("is killed waits, states the reason, and moves once the node is declared off", async () => {
    await cluster.apply(manifest("db", 3));
    await allServe();
    const before = (await podsOf("db")).map(({ metadata }) => metadata.uid);
    const node = await nodeOf("db-1");
    await cluster.kintsugi("node", "kill", node);
    const message = await waits("db-1", node);
    expect(message).toContain(`kubectl taint node ${node} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`);
    expect(await cluster.kubectl("describe", "sts", "db")).toMatch(/Warning\s+WaitingForNode\s/);
    const waiting = (await podsOf("db")).find(({ metadata }) => metadata.name === "db-1");
    expect(before).toContain(waiting?.metadata.uid);
    const story = await cluster.kintsugi("timeline", "--pod", "db-1");
    expect(story.stdout).toContain("kintsugi.dev/WaitingForNode");
    await cluster.kubectl("taint", "node", node, "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute");
    await allServe(node);
    expect((await cluster.get<StatefulSet>("sts", "db")).status?.conditions ?? []).toEqual([]);
    await cluster.kubectl("taint", "node", node, "node.kubernetes.io/out-of-service-");
    await cluster.kintsugi("node", "return", node);
    await eventually("the node is ready", async () => {
      const { status } = await cluster.get("node", node);
      return status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True");
    });
  });

  test("is drained moves in order, within its budget", async () => {
    await allServe();
    await cluster.apply(`apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: db}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: db}}}
`);
    const node = await nodeOf("db-2");
    await cluster.kubectl("drain", node, "--ignore-daemonsets", "--timeout=30s");
    await allServe(node);
    expect((await podsOf("db")).map(({ spec }) => spec?.nodeName)).not.toContain(node);
    await cluster.kubectl("uncordon", node);
  });

  onlyInAllSamples(() => {
    test("is cut off keeps its pod until the node is deleted", async () => {
      await allServe();
      const node = await nodeOf("db-0");
      await cluster.kintsugi("node", "partition", node);
      await waits("db-0", node);
      const { uid } = (await cluster.get<Pod>("pod", "db-0")).metadata;
      await cluster.kubectl("delete", "node", node);
      const moved = await eventually("db-0 serves again", async () =>
        (await podsOf("db")).find((pod) => pod.metadata.name === "db-0" && pod.metadata.uid !== uid && isServing(pod)),
      );
      expect(moved.spec?.nodeName).not.toBe(node);
    });
  });
});
