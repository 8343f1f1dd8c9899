import { describe, expect, test } from "vitest";
import { newestKubectl, sayWhyNot, whyNoClusters } from "../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";

const pods = `
apiVersion: v1
kind: Pod
metadata: { name: serves, labels: { app: shown } }
spec:
  terminationGracePeriodSeconds: 0
  containers: [{ name: main, image: busybox:1.36, command: [sleep, "3600"], volumeMounts: [{ name: data, mountPath: /data }] }]
  volumes: [{ name: data, emptyDir: { medium: Memory } }]
---
apiVersion: v1
kind: Pod
metadata: { name: no-command }
spec:
  restartPolicy: Never
  containers: [{ name: main, image: busybox:1.36, command: [nope] }]
---
apiVersion: v1
kind: Pod
metadata: { name: hog }
spec:
  restartPolicy: Never
  containers:
    - name: main
      image: busybox:1.36
      command: [sh, -c, "dd if=/dev/zero of=/dev/shm/all bs=1M count=200"]
      resources: { limits: { memory: 32Mi } }
`;

const whyNot = newestKubectl() === undefined ? "kubectl is missing" : whyNoClusters("crun");

describe.skipIf(sayWhyNot("nodes with crun", whyNot))("nodes with crun", () => {
  test("run, end and refuse containers as with runc, in crun's words, and stay with it", async () => {
    await using cluster = await startLabCluster({ name: "crun", nodes: 1, args: ["--oci-runtime", "crun"] });
    await cluster.apply(pods);
    await eventually("a pod Running", async () => (await phaseOf(cluster, "serves")) === "Running");
    const written = await cluster.tryKubectl([
      "exec",
      "serves",
      "--",
      "sh",
      "-c",
      "echo kept > /data/a && cat /data/a",
    ]);
    expect(written).toMatchObject({ code: 0, stdout: "kept\n" });
    expect((await cluster.tryKubectl(["exec", "serves", "--", "sh", "-c", "exit 3"])).code).toBe(3);
    const unknown = await cluster.tryKubectl(["exec", "serves", "--", "nope"]);
    expect(unknown.stderr).toContain("executable file `nope` not found in $PATH");

    expect(await endOf(cluster, "no-command")).toMatchObject({ reason: "StartError", exitCode: 128 });
    expect(await endOf(cluster, "hog")).toMatchObject({ reason: "OOMKilled", exitCode: 137 });

    const other = await cluster.kintsugi("up", "--oci-runtime", "runc");
    expect(other.stderr).toContain(`exists with OCI runtime crun, not runc: take it down first`);
    const same = await cluster.kintsugi("up", "--oci-runtime", "crun", "--kubeconfig", cluster.kubeconfig);
    expect(same.code).toBe(0);
  });
});

async function phaseOf(cluster: LabCluster, pod: string): Promise<string | undefined> {
  return (await cluster.get("pod", pod)).status.phase;
}

/** How its container ended, once the pod is over. */
async function endOf(cluster: LabCluster, pod: string) {
  await eventually(`pod ${pod} Failed`, async () => (await phaseOf(cluster, pod)) === "Failed");
  return (await cluster.get("pod", pod)).status.containerStatuses?.[0]?.state.terminated;
}
