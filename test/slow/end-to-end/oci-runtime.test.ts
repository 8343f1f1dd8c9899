import { expect, test } from "vitest";
import { newestKubectl, sayWhyNot, whyNoClusters } from "../../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../../support/lab-cluster.ts";
import { eventually } from "../../support/run-program.ts";

const pods = `
apiVersion: v1
kind: Pod
metadata: { name: serves, labels: { app: shown } }
spec:
  terminationGracePeriodSeconds: 0
  containers: [{ name: main, image: busybox:1, command: [sleep, "3600"], volumeMounts: [{ name: data, mountPath: /data }] }]
  volumes: [{ name: data, emptyDir: { medium: Memory } }]
---
apiVersion: v1
kind: Pod
metadata: { name: no-command }
spec:
  restartPolicy: Never
  containers: [{ name: main, image: busybox:1, command: [nope] }]
---
apiVersion: v1
kind: Pod
metadata: { name: over-itself }
spec:
  restartPolicy: Never
  containers: [{ name: main, image: busybox:1, command: [sleep, "1"], volumeMounts: [{ name: data, mountPath: /proc/self }] }]
  volumes: [{ name: data, emptyDir: {} }]
---
apiVersion: v1
kind: Pod
metadata: { name: hog }
spec:
  restartPolicy: Never
  containers:
    - name: main
      image: busybox:1
      command: [sh, -c, "dd if=/dev/zero of=/dev/shm/all bs=1M count=200"]
      resources: { limits: { memory: 32Mi } }
`;

/** All differences that are visible to users: docs/decisions/0008. */
const runtimes = [
  {
    name: "runc",
    other: "crun",
    notFound: 'exec: "nope": executable file not found in $PATH',
    overItself: { phase: "Failed", reason: "StartError" },
  },
  {
    name: "crun",
    other: "runc",
    notFound: "executable file `nope` not found in $PATH",
    overItself: { phase: "Succeeded", reason: "Completed" },
  },
] as const;

const kubectlMissing = newestKubectl() === undefined ? "kubectl is missing" : undefined;

for (const { name, other, notFound, overItself } of runtimes) {
  const whyNot = kubectlMissing ?? whyNoClusters(name);
  test.skipIf(sayWhyNot(`nodes with ${name}`, whyNot))(
    `nodes with ${name} run and end containers, reject them in its words, and keep this runtime`,
    async () => {
      await using cluster = await startLabCluster({ name, nodes: 1, args: ["--oci-runtime", name] });
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
      expect((await cluster.tryKubectl(["exec", "serves", "--", "nope"])).stderr).toContain(notFound);

      const refused = await endOf(cluster, "no-command");
      expect(refused).toMatchObject({ reason: "StartError", exitCode: 128 });
      expect(refused?.message).toContain(notFound);
      expect(await endOf(cluster, "over-itself")).toMatchObject({ reason: overItself.reason });
      expect(await phaseOf(cluster, "over-itself")).toBe(overItself.phase);
      expect(await endOf(cluster, "hog")).toMatchObject({ reason: "OOMKilled", exitCode: 137 });

      expect((await cluster.kintsugi("status")).stdout).toContain(`OCI runtime ${name}\n`);
      const changed = await cluster.kintsugi("up", "--oci-runtime", other);
      expect(changed.stderr).toContain(`exists with OCI runtime ${name}, not ${other}: remove it first`);
      const same = await cluster.kintsugi("up", "--oci-runtime", name, "--kubeconfig", cluster.kubeconfig);
      expect(same.code).toBe(0);
    },
  );
}

async function phaseOf(cluster: LabCluster, pod: string): Promise<string | undefined> {
  return (await cluster.get("pod", pod)).status.phase;
}

/** Returns the termination of its container, once the pod has ended. */
async function endOf(cluster: LabCluster, pod: string) {
  await eventually(`pod ${pod} over`, async () => /^(Failed|Succeeded)$/.test((await phaseOf(cluster, pod)) ?? ""));
  return (await cluster.get("pod", pod)).status.containerStatuses?.[0]?.state.terminated;
}
