import { readFile } from "node:fs/promises";
import type { PersistentVolume, Pod, VolumeAttachment } from "@kintsugi/api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoKubectlCluster } from "../../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../../support/lab-cluster.ts";
import { eventually } from "../../support/run-program.ts";

const lacking = whyNoKubectlCluster();

/** Each start continues the count of the file, and each line is on disk before the next. */
const script =
  'n=$(tail -n1 /data/count 2>/dev/null || echo 0); echo "continues after ${n:-0}"; while true; do n=$((n+1)); echo $n >> /data/count && sync /data/count || exit 1; sleep 0.1; done';

const statefulSet = `apiVersion: v1
kind: Service
metadata: {name: counter}
spec: {clusterIP: None, selector: {app: counter}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: counter}
spec:
  serviceName: counter
  persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete, whenScaled: Retain}
  selector: {matchLabels: {app: counter}}
  template:
    metadata: {labels: {app: counter}}
    spec:
      terminationGracePeriodSeconds: 0
      containers:
        - name: c
          image: "busybox:1"
          command: [sh, -c, ${JSON.stringify(script)}]
          volumeMounts: [{name: data, mountPath: /data}]
  volumeClaimTemplates:
    - metadata: {name: data}
      spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 64Mi}}}
`;

describe.skipIf(sayWhyNot("volumes of CSI drivers", lacking))("volumes of a CSI driver", () => {
  let cluster: LabCluster;

  beforeAll(async () => {
    cluster = await startLabCluster({ name: "csi", nodes: 2, csi: true });
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
  });

  const pod = () => cluster.get<Pod>("pod", "counter-0").catch(() => undefined);

  async function runningElsewhereThan(uid: string | undefined): Promise<Pod> {
    const isNewAndRuns = async () => {
      const found = await pod();
      return found?.metadata.uid !== uid && found?.status?.phase === "Running";
    };
    // A volume runs programs of the host at each of its steps, which are slow on a busy machine.
    await eventually("the counter runs", isNewAndRuns, 90_000);
    return (await pod()) as Pod;
  }

  /** Reads the file in the pod: every number once, in order. */
  async function count(): Promise<number> {
    const lines = (await cluster.kubectl("exec", "counter-0", "--", "cat", "/data/count")).trim().split("\n");
    expect(lines).toEqual(lines.map((_, index) => `${index + 1}`));
    return lines.length;
  }

  /** Each time the successor has to wait for the container that kept running. */
  async function deletedWhileItsNodeIsAway(first: Pod): Promise<void> {
    let last = first;
    for (let time = 0; time < 3; time++) {
      const node = last.spec?.nodeName ?? "";
      for (const component of ["kubelet", "csi-lab"])
        process.kill(await cluster.pidOf(`${component}@${node}`), "SIGKILL");
      await cluster.kubectl("delete", "pod", "counter-0", "--wait=false");
      last = await runningElsewhereThan(last.metadata.uid);
      const before = await count();
      await eventually("it counts on", async () => (await count()) > before + 10);
    }
  }

  test("a writer's data is present on another node after its own node failed, and is removed with its claim", async () => {
    await eventually("the class is there", async () => (await cluster.kubectl("get", "sc", "-o", "name")) !== "");
    await cluster.apply(statefulSet);
    const first = await runningElsewhereThan(undefined);
    await eventually("it counts", async () => (await count()) > 3);
    const before = await count();

    const dead = first.spec?.nodeName ?? "";
    const killed = await cluster.kintsugi("node", "kill", "--fence", dead);
    expect(killed.code).toBe(0);
    const second = await runningElsewhereThan(first.metadata.uid);
    expect(second.spec?.nodeName).not.toBe(dead);
    await eventually("it counts on", async () => (await count()) > before + 3);
    expect(await cluster.kubectl("logs", "counter-0")).toMatch(/^continues after [1-9]/);

    await deletedWhileItsNodeIsAway(second);
    const { items } = await cluster.get<{ items: VolumeAttachment[] }>("volumeattachments");
    expect(items.map(({ spec, status }) => [spec.nodeName, status?.attached])).toEqual([[second.spec?.nodeName, true]]);

    await cluster.kubectl("delete", "sts", "counter");
    await eventually("the volume is deleted", async () => {
      const volumes = await cluster.get<{ items: PersistentVolume[] }>("pv");
      return volumes.items.length === 0;
    });
    const mounts = await readFile("/proc/self/mountinfo", "utf8");
    const ours = mounts.split("\n").filter((line) => line.includes(cluster.name));
    expect(ours.filter((line) => /globalmount|kubernetes\.io~csi/.test(line))).toEqual([]);
  });
});
