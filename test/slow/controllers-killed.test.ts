import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Pod, VolumeAttachment } from "@kintsugi/api";
import type { Books } from "@kintsugi/csi";
import { findCluster } from "@kintsugi/lab";
import { mountPoints } from "@kintsugi/daemon";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";
import { type SeenWriters, watchWriters } from "../support/observe/seen-writers.ts";
import { startDriverFront } from "../support/servers/driver-front.ts";
import { startWriteKiller, type WriteKiller } from "../support/servers/write-killer.ts";
import type { Moment } from "../support/servers/write-proxy.ts";
import { withTimeline } from "../support/observe/with-timeline.ts";

// The controllers of volumes die at each of their writes in the whole run of a volume: before the
// write reaches the API server, and after it was made but before its answer. There is one run per
// moment, in which each kind of write causes one death. Each death loses the process' memory, so an
// earlier death affects a later one only through the writes. The driver dies at each of its calls
// in volume-uses.test.ts, and the kubelet here.

const lacking = whyNoKubectlCluster();

const marker = `killed-at-writes-${process.pid}`;
/**
 * Each start adds an unpredictable page, and then relies on it, as a database does with its log.
 */
const script = `: ${marker}; me=$(cat /proc/sys/kernel/random/uuid); dd if=/dev/urandom bs=4096 count=4 2>/dev/null >> /data/pages && sync /data/pages || exit 1; n=$(tail -n1 /data/count 2>/dev/null | cut -d' ' -f1); while true; do n=$(( \${n:-0} + 1 )); echo "$n $me" >> /data/count && sync /data/count || exit 1; sleep 0.5; done`;

const identities = ["db-0", "db-1", "db-2"] as const;
const manifest = `apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: ${identities.length}
  serviceName: db
  podManagementPolicy: Parallel
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

const claimOf = (name: string) => `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: ${name}}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 64Mi}}}
`;
const podOn = ({ name, node, claim }: { name: string; node: string; claim: string }) => `apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  nodeSelector: {kubernetes.io/hostname: ${node}}
  terminationGracePeriodSeconds: 1
  containers:
    - name: c
      image: "busybox:1"
      command: [sh, -c, "echo ${name} >> /data/starts; sync; sleep 100000"]
      volumeMounts: [{name: data, mountPath: /data}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: ${claim}}}]
`;

const killed = [
  { component: "controller-manager", lease: "kube-controller-manager" },
  { component: "csi-controller", lease: "kintsugi-csi-controller" },
];

/** Deaths without which a run would not test its subject. */
const stepsOf: Readonly<Record<string, readonly RegExp[]>> = {
  "controller-manager": [
    /^POST .*\/persistentvolumeclaims /,
    /^PUT .*\/persistentvolumeclaims\/[^/]+ .*volumeName/,
    /^PUT .*\/persistentvolumes\/.*status/,
    /^POST .*\/volumeattachments /,
    /^PUT .*\/nodes\/.*volumesAttached/,
    /^DELETE .*\/pods\//,
    /^DELETE .*\/volumeattachments\//,
  ],
  "csi-controller": [
    /^POST .*\/persistentvolumes /,
    /^PUT .*\/volumeattachments\/.*\/status .*"attached":true/,
    /^PUT .*\/volumeattachments\/.*"finalizers":\[\]/,
    /^DELETE .*\/persistentvolumes\//,
  ],
};

/** A step has some fifteen deaths, each of which costs a start: 3 s, and 15 on a busy host. */
const stepMaxMs = 420_000;

describe.skipIf(sayWhyNot("controllers killed at their writes", lacking))("controllers of volumes", () => {
  let cluster: LabCluster;
  let disks: string;
  let writers: SeenWriters;
  const killers: Record<string, WriteKiller> = {};

  beforeAll(async () => {
    // A leader of the profile fast loses its Lease when the API server is silent for 2 s, as on a
    // busy host. Its processes would end their work constantly, and the deaths here would not be
    // the test's.
    cluster = await startLabCluster({ name: "controllers-killed", nodes: 2, csi: true, profile: "default" });
    disks = (await findCluster(cluster.name))?.paths.disks ?? "";
    const hasClass = async () => (await cluster.kubectl("get", "sc", "-o", "name")) !== "";
    await eventually("the class is there", hasClass, stepMaxMs);
    for (const program of killed) killers[program.component] = await startWriteKiller(cluster, program);
    writers = watchWriters(marker);
  }, 2 * stepMaxMs);
  afterAll(async () => {
    await writers?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
    for (const killer of Object.values(killers)) await killer[Symbol.asyncDispose]();
  });

  const runs = (name: string) =>
    eventually(`${name} runs`, async () => isServing(await cluster.get<Pod>("pod", name)), stepMaxMs);
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
      stepMaxMs,
    );
  const bytesOf = async (identity: string, file: string) =>
    Buffer.from(await cluster.kubectl("exec", identity, "--", "base64", `/data/${file}`), "base64");
  const allBytes = async () =>
    new Map(
      await Promise.all(
        identities.map(
          async (each) => [each, { pages: await bytesOf(each, "pages"), count: await bytesOf(each, "count") }] as const,
        ),
      ),
    );
  const books = async () => JSON.parse(await readFile(join(disks, "books.json"), "utf8")) as Books;
  const attachments = async () => (await cluster.get<{ items: VolumeAttachment[] }>("volumeattachments")).items;

  /** Waits until each disk is attached, in every record, only to the node of its pod. */
  async function eachAtItsPod(pods: readonly Pod[]): Promise<void> {
    const nodes = pods.map(({ spec }) => spec?.nodeName ?? "").toSorted();
    await eventually(
      "each disk is attached where its pod is",
      async () => {
        const attached = (await attachments()).flatMap(({ spec, status }) => (status?.attached ? [spec.nodeName] : []));
        const inBooks = Object.values((await books()).disks).flatMap(({ attachment }) => attachment?.nodeId ?? []);
        return (
          JSON.stringify(attached.toSorted()) === JSON.stringify(nodes) &&
          JSON.stringify(inBooks.toSorted()) === JSON.stringify(nodes)
        );
      },
      stepMaxMs,
    );
    expect(Object.fromEntries(writers.most())).toEqual(Object.fromEntries(identities.map((each) => [each, 1])));
  }

  const nothingIsLeft = () =>
    eventually(
      "nothing is left, neither in the API nor with the driver",
      async () => {
        const objects = await cluster.kubectl("get", "pods,pvc,pv,volumeattachments", "-o", "name");
        const files = await Promise.all(["disks", "attachments"].map((each) => readdir(join(disks, each))));
        return objects.trim() === "" && Object.keys((await books()).disks).length === 0 && files.flat().length === 0;
      },
      stepMaxMs,
    );

  /** Performs a volume's whole run, and returns the deaths of each process in it. */
  async function run(moment: Moment): Promise<Record<string, readonly string[]>> {
    for (const killer of Object.values(killers)) killer.arm(moment);
    await cluster.apply(manifest);
    const first = await allServe();
    await eachAtItsPod(first);
    const before = await allBytes();
    const node = first.find(({ metadata }) => metadata.name === "db-1")?.spec?.nodeName ?? "";
    expect((await cluster.kintsugi("node", "kill", "--fence", node)).code).toBe(0);
    await eachAtItsPod(await allServe(node));
    const after = await allBytes();
    for (const [identity, { pages, count }] of before) {
      const now = after.get(identity);
      expect(now?.pages.subarray(0, pages.length)).toEqual(pages);
      expect(now?.count.subarray(0, count.length)).toEqual(count);
      const numbers = now?.count
        .toString()
        .trimEnd()
        .split("\n")
        .map((line) => Number(line.split(" ")[0]));
      expect(numbers).toEqual(numbers?.map((_, index) => index + 1));
    }
    expect((await cluster.kintsugi("node", "return", node)).code).toBe(0);
    await cluster.kubectl("delete", "sts", "db", "--wait=false");
    await cluster.kubectl("delete", "pvc", "--all", "--wait=false");
    await nothingIsLeft();
    return Object.fromEntries(Object.entries(killers).map(([name, killer]) => [name, killer.disarm()]));
  }

  test("the kubelet may crash before and after each call to its driver", () =>
    withTimeline(cluster, async () => {
      await using driver = await startDriverFront(cluster, "node-1");
      const pod = (name: string, node: string) => podOn({ name, node, claim: "kept" });
      await cluster.apply(`${claimOf("kept")}---\n${pod("first", "node-1")}`);
      await runs("first");
      await cluster.kubectl("delete", "pod", "first", "--wait=false");
      await eventually(
        "it has died at each call",
        async () => driver.deaths().length === driver.planned().length,
        stepMaxMs,
      );
      expect(driver.deaths()).toEqual(driver.planned());
      await eventually("its volume is detached", async () => (await attachments()).length === 0, stepMaxMs);
      const mounts = await mountPoints();
      expect(mounts.filter((path) => path.includes(`/${cluster.name}/nodes/node-1/kubelet/`))).toEqual([]);
      // The first pod's line is present on the other node.
      await cluster.apply(pod("second", "node-2"));
      await runs("second");
      expect(await cluster.kubectl("exec", "second", "--", "cat", "/data/starts")).toBe("first\nsecond\n");
      await cluster.kubectl("delete", "pod/second", "pvc/kept", "--timeout=180s");
      await nothingIsLeft();
    }));

  test.each(["before", "after"] as const)(
    "the controllers may crash %s each of their writes",
    { timeout: 4 * stepMaxMs },
    (moment) =>
      withTimeline(cluster, async () => {
        const deaths = await run(moment);
        // The run reached every expected step.
        for (const [component, steps] of Object.entries(stepsOf)) {
          const kinds = deaths[component] ?? [];
          for (const step of steps)
            expect(kinds, `${component} died at ${step}`).toContainEqual(expect.stringMatching(step));
        }
      }),
  );
});
