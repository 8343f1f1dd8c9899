import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "@kintsugi/api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoKubectlCluster } from "../../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../../support/lab-cluster.ts";
import { eventually } from "../../support/run-program.ts";

const lacking = whyNoKubectlCluster();

const storageClass = `apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: local}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
`;

const localVolume = (name: string, path: string, node: string) => `---
apiVersion: v1
kind: PersistentVolume
metadata: {name: ${name}}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: local
  local: {path: ${path}}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [${node}]}]}]}}
`;

/** Each start continues the count of the file, and each line is on disk before the next. */
const script =
  "n=$(wc -l < /data/count 2>/dev/null || echo 0); while true; do n=$((n+1)); echo $n >> /data/count; sync /data/count; sleep 0.2; done";

const statefulSet = `apiVersion: v1
kind: Service
metadata: {name: counter}
spec: {clusterIP: None, selector: {app: counter}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: counter}
spec:
  replicas: 3
  serviceName: counter
  podManagementPolicy: Parallel
  persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete, whenScaled: Retain}
  selector: {matchLabels: {app: counter}}
  template:
    metadata: {labels: {app: counter}}
    spec:
      terminationGracePeriodSeconds: 1
      containers:
      - name: c
        image: "busybox:1"
        command: ["sh", "-c", ${JSON.stringify(script)}]
        volumeMounts: [{name: data, mountPath: /data}]
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {storageClassName: local, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`;

describe.skipIf(sayWhyNot("claims", lacking))("pods with claims of local volumes", () => {
  let cluster: LabCluster;
  let host: string;
  const nodes = ["node-1", "node-2"];

  beforeAll(async () => {
    host = await mkdtemp(join(tmpdir(), "kintsugi-claims-"));
    cluster = await startLabCluster({ name: "claims", nodes: 2 });
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    await rm(host, { recursive: true, force: true });
  });

  const podsOf = async () => (await cluster.get<{ items: Pod[] }>("pods", "-l", "app=counter")).items;
  const allRun = (but: ReadonlySet<string | undefined> = new Set()) =>
    eventually("three pods run", async () => {
      const pods = await podsOf();
      return (
        pods.length === 3 &&
        pods.every(({ metadata, status }) => status?.phase === "Running" && !but.has(metadata.uid)) &&
        pods
      );
    });
  const volumeOf = async (claim: string) =>
    (await cluster.get<PersistentVolumeClaim>("pvc", claim)).spec?.volumeName ?? "";
  const linesOf = async (volume: string) => (await readFile(join(host, volume, "count"), "utf8")).trim().split("\n");

  test("have their data again after they are deleted and recreated, and release the data with their set", async () => {
    const volumes = ["v1", "v2", "v3", "v4"];
    const node = (index: number) => nodes[index % nodes.length] ?? "";
    for (const volume of volumes) await mkdir(join(host, volume));
    const made = volumes.map((volume, index) => localVolume(volume, join(host, volume), node(index)));
    await cluster.apply([storageClass, ...made].join(""));
    await cluster.apply(statefulSet);
    const first = await allRun();
    const claims = ["data-counter-0", "data-counter-1", "data-counter-2"];
    const chosen = await Promise.all(claims.map(volumeOf));
    expect(new Set(chosen).size).toBe(3);
    for (const { metadata, spec } of first) {
      const volume = await volumeOf(`data-${metadata.name}`);
      expect(spec?.nodeName).toBe(node(volumes.indexOf(volume)));
    }
    await eventually("each counts", async () =>
      (await Promise.all(chosen.map(linesOf))).every(({ length }) => length > 2),
    );

    const before = await Promise.all(chosen.map(linesOf));
    await cluster.kubectl("delete", "pod", "-l", "app=counter", "--wait=false");
    await allRun(new Set(first.map(({ metadata }) => metadata.uid)));
    expect(await Promise.all(claims.map(volumeOf))).toEqual(chosen);
    await eventually("each counts on", async () => {
      const after = await Promise.all(chosen.map(linesOf));
      return after.every((lines, index) => lines.length > (before[index]?.length ?? 0) + 2);
    });
    for (const lines of await Promise.all(chosen.map(linesOf))) {
      expect(lines).toEqual(lines.map((_, index) => `${index + 1}`));
    }

    await cluster.kubectl("delete", "sts", "counter");
    await eventually("the claims are gone", async () => (await cluster.kubectl("get", "pvc", "-o", "name")) === "");
    await eventually("the volumes are released", async () => {
      const phases = await Promise.all(
        chosen.map(async (volume) => (await cluster.get<PersistentVolume>("pv", volume)).status?.phase),
      );
      return phases.every((phase) => phase === "Released");
    });
    expect((await linesOf(chosen[0] ?? "")).length).toBeGreaterThan(2);
    const mounts = await readFile("/proc/self/mountinfo", "utf8");
    expect(
      mounts.split("\n").filter((line) => line.includes("kubernetes.io~local-volume") && line.includes(host)),
    ).toEqual([]);
  });
});
