import type { Pod, StatefulSet, VolumeAttachment } from "@kintsugi/api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { type KubernetesObject, type LabCluster, startLabCluster } from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";
import { type SeenWriters, watchWriters } from "../support/observe/seen-writers.ts";
import { withTimeline } from "../support/observe/with-timeline.ts";

// A StatefulSet of three whose pods count in a file of their volume, through every fault of a node:
// no count is lost or duplicated, and two processes never write for one identity at the same
// moment, including processes on a node that is cut off.

const lacking = whyNoKubectlCluster();

const marker = `counts-in-${process.pid}`;
/** Each start has its own name, and continues the count of the last line on disk. */
const script = `: ${marker}; me=$(cat /proc/sys/kernel/random/uuid); n=$(tail -n1 /data/count 2>/dev/null | cut -d' ' -f1); while true; do n=$(( \${n:-0} + 1 )); echo "$n $me" >> /data/count && sync /data/count || exit 1; sleep 0.2; done`;

const identities = ["db-0", "db-1", "db-2"] as const;
const manifest = `apiVersion: v1
kind: Service
metadata: {name: db}
spec: {clusterIP: None, selector: {app: db}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: ${identities.length}
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      terminationGracePeriodSeconds: 0
      topologySpreadConstraints:
        - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: db}}}
      containers:
        - name: c
          image: "busybox:1"
          command: [sh, -c, ${JSON.stringify(script)}]
          volumeMounts: [{name: data, mountPath: /data}]
  volumeClaimTemplates:
    - metadata: {name: data}
      spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 64Mi}}}
`;

describe.skipIf(sayWhyNot("a StatefulSet with volumes through faults", lacking))(
  "a StatefulSet of three with volumes",
  () => {
    let cluster: LabCluster;
    let writers: SeenWriters;

    beforeAll(async () => {
      cluster = await startLabCluster({ name: "stateful-volumes", nodes: 3, csi: true });
      writers = watchWriters(marker);
      await withTimeline(cluster, async () => {
        await eventually("the class is there", async () => (await cluster.kubectl("get", "sc", "-o", "name")) !== "");
        await cluster.apply(manifest);
        await allServe();
      });
    });
    afterAll(async () => {
      await writers?.[Symbol.asyncDispose]();
      await cluster?.[Symbol.asyncDispose]();
    });

    const podOf = (identity: string) => cluster.get<Pod>("pod", identity);
    const isServing = ({ metadata, status }: Pod) =>
      metadata.deletionTimestamp === undefined &&
      status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;
    const allServe = (elsewhereThan?: string) =>
      eventually(
        "three pods serve",
        async () => {
          const { items } = await cluster.get<{ items: Pod[] }>("pods", "-l", "app=db");
          const whole = items.length === identities.length && items.every(isServing);
          return whole && items.every(({ spec }) => spec?.nodeName !== elsewhereThan) ? items : undefined;
        },
        120_000,
      );
    const nodeOf = async (identity: string) => (await podOf(identity)).spec?.nodeName ?? "";
    const nodeIsReady = (node: string) =>
      eventually(
        `${node} is ready`,
        async () => {
          const { status } = await cluster.get<KubernetesObject>("node", node);
          return status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True");
        },
        60_000,
      );
    const waitsFor = (identity: string, node: string) =>
      eventually(
        `${identity} waits for ${node}`,
        async () => {
          const { status } = await cluster.get<StatefulSet>("sts", "db");
          const message = status?.conditions?.find(({ type }) => type === "kintsugi.dev/WaitingForNode")?.message ?? "";
          return message.includes(`Pod ${identity} is not replaced: it may still run on node ${node}`);
        },
        60_000,
      );

    /**
     * Reads the count of an identity: every number once and in order, and no earlier writer after
     * another has begun.
     */
    async function countOf(identity: string): Promise<number> {
      const text = await cluster.kubectl("exec", identity, "--", "cat", "/data/count");
      const lines = text
        .trimEnd()
        .split("\n")
        .map((line) => line.split(" "));
      expect(lines.map(([number]) => number)).toEqual(lines.map((_, index) => `${index + 1}`));
      const turns = lines.map(([, writer]) => writer).filter((writer, i, all) => writer !== all[i - 1]);
      expect(turns).toHaveLength(new Set(turns).size);
      return lines.length;
    }
    const counts = async () =>
      Object.fromEntries(
        await Promise.all(identities.map(async (identity) => [identity, await countOf(identity)] as const)),
      );
    /** Every count is beyond the previous count, and continues. */
    async function allGoOn(before: Record<string, number>): Promise<void> {
      const now = await counts();
      for (const identity of identities) expect(now[identity]).toBeGreaterThan(before[identity] ?? 0);
      await eventually("each counts on", async () => {
        const later = await counts();
        return identities.every((identity) => (later[identity] ?? 0) > (now[identity] ?? 0));
      });
      // The disk of each pod is attached only to the pod's node.
      const { items } = await cluster.get<{ items: VolumeAttachment[] }>("volumeattachments");
      const nodes = await Promise.all(identities.map(nodeOf));
      expect(items.map(({ spec }) => spec.nodeName).toSorted()).toEqual(nodes.toSorted());
      expect(Object.fromEntries(writers.most())).toEqual(
        Object.fromEntries(identities.map((identity) => [identity, 1])),
      );
      expect(writers.looks()).toBeGreaterThan(0);
    }
    const story = async () => (await cluster.kintsugi("timeline")).stdout;

    test("continues on another node immediately when a node is killed and known to be off, and is not disturbed by its return", () =>
      withTimeline(cluster, async () => {
        const before = await counts();
        const node = await nodeOf("db-1");
        const { uid } = (await podOf("db-1")).metadata;
        expect((await cluster.kintsugi("node", "kill", "--fence", node)).code).toBe(0);
        await eventually("db-1 is another pod", async () => (await podOf("db-1")).metadata.uid !== uid, 120_000);
        await allServe(node);
        await allGoOn(before);
        const moved = await counts();
        expect((await cluster.kintsugi("node", "return", node)).code).toBe(0);
        await nodeIsReady(node);
        await allServe();
        await allGoOn(moved);
        const story = (await cluster.kintsugi("timeline")).stdout;
        expect(story).toMatch(
          new RegExp(`node/${node}\\s+taint-added\\s+node\\.kubernetes\\.io/out-of-service:NoExecute`),
        );
      }));

    test("waits for a killed node that may still be on, and continues there once it returns", () =>
      withTimeline(cluster, async () => {
        const before = await counts();
        const node = await nodeOf("db-2");
        await cluster.kintsugi("node", "kill", node);
        await waitsFor("db-2", node);
        expect((await podOf("db-2")).spec?.nodeName).toBe(node);
        await cluster.kintsugi("node", "return", node);
        await nodeIsReady(node);
        await allServe();
        await allGoOn(before);
        expect(await story()).toMatch(
          new RegExp(`WaitingForNode +Pod db-2 is not replaced: it may still run on node ${node}`),
        );
      }));

    test("moves off a node that is drained", () =>
      withTimeline(cluster, async () => {
        const before = await counts();
        const node = await nodeOf("db-0");
        await cluster.kubectl("drain", node, "--ignore-daemonsets", "--timeout=60s");
        await allServe(node);
        await allGoOn(before);
        await cluster.kubectl("uncordon", node);
        const told = await story();
        expect(told).toMatch(new RegExp(`node/${node} +taint-added +node\\.kubernetes\\.io/unschedulable:NoSchedule`));
        expect(told).toMatch(/pod\/db-0 +deleted/);
      }));

    test("continues its count behind a cut cable in one process, and is complete once it is reconnected", () =>
      withTimeline(cluster, async () => {
        const before = await counts();
        const node = await nodeOf("db-0");
        await cluster.kintsugi("node", "partition", node);
        await waitsFor("db-0", node);
        await cluster.kintsugi("node", "heal", node);
        await nodeIsReady(node);
        await allServe();
        await allGoOn(before);
        expect(await story()).toMatch(new RegExp(`node/${node} +condition +Ready=Unknown \\(NodeStatusUnknown\\)`));
      }));
  },
);
