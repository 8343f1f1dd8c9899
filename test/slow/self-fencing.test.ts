import type { Pod } from "@kintsugi/api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";
import { type SeenWriters, watchWriters } from "../support/observe/seen-writers.ts";
import { withTimeline } from "../support/observe/with-timeline.ts";

// Two Deployments of one pod on one node, whose cable is cut. The processes of this machine show
// how many of each run at one moment: the pod that requested fencing has ended before its
// replacement runs, and the other pod, which did not request it, runs twice.

const lacking = whyNoKubectlCluster();

const marker = `fenced-in-${process.pid}`;
const script = `: ${marker}; while true; do sleep 0.2; done`;
const cutOff = "node-1";

function deploymentOf(name: string, annotations: string): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  replicas: 1
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}, annotations: {${annotations}}}
    spec:
      hostname: ${name}
      terminationGracePeriodSeconds: 1
      tolerations: [{key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 5}]
      affinity:
        nodeAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
            - weight: 100
              preference: {matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [${cutOff}]}]}
      containers: [{name: c, image: "busybox:1", command: [sh, -c, ${JSON.stringify(script)}]}]
`;
}

describe.skipIf(sayWhyNot("pods that are fenced by their own kubelet", lacking))("behind a cut cable", () => {
  let cluster: LabCluster;
  let writers: SeenWriters;

  beforeAll(async () => {
    cluster = await startLabCluster({ name: "self-fencing", nodes: 2 });
    writers = watchWriters(marker);
    await cluster.apply(
      [deploymentOf("fenced", 'kintsugi.dev/fence-on-partition: "true"'), deploymentOf("plain", "")].join("---\n"),
    );
    await servesOn("fenced", cutOff);
    await servesOn("plain", cutOff);
  });
  afterAll(async () => {
    await writers?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  const podsOf = async (app: string) => (await cluster.get<{ items: Pod[] }>("pods", "-l", `app=${app}`)).items;
  const servesOn = (app: string, node: string) =>
    eventually(
      `${app} serves on ${node}`,
      async () =>
        (await podsOf(app)).some(
          ({ spec, status }) =>
            spec?.nodeName === node &&
            status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True"),
        ),
      90_000,
    );

  test("a pod with the annotation has ended before its replacement runs, and a pod without it runs twice", () =>
    withTimeline(cluster, async () => {
      await eventually("one process of each is seen", async () => writers.most().size === 2);
      expect(new Set(writers.most().values())).toEqual(new Set([1]));
      expect((await cluster.kintsugi("node", "partition", cutOff)).code).toBe(0);
      await servesOn("fenced", "node-2");
      await servesOn("plain", "node-2");
      await eventually("the plain pod runs twice", async () => writers.most().get("plain") === 2);
      expect((await cluster.kintsugi("node", "heal", cutOff)).code).toBe(0);
      for (const app of ["fenced", "plain"])
        await eventually(`${app} has one pod`, async () => (await podsOf(app)).length === 1, 60_000);
      expect(writers.most().get("fenced")).toBe(1);
    }));
});
