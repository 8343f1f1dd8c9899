import { describe, expect, test } from "vitest";
import type { ContainerRuntime } from "../../container-runtime.ts";
import type { ContractRun } from "./contract-run.ts";

/** The contract on sandboxes, from their start to their removal. */
export function describeSandboxes(contract: ContractRun): void {
  describe("a sandbox", () => {
    test("is ready with an address of its own, and keeps its configuration", async () => {
      const labels = { "io.kubernetes.pod.name": "web", empty: "" };
      const annotations = { "kubernetes.io/config.source": "api", text: 'with "quotes"\nand ü' };
      const pod = await contract.pods.start({ labels, annotations });
      const other = await contract.pods.start();
      const status = await contract.runtime.podSandboxStatus(pod.sandboxId);
      expect(status).toMatchObject({
        id: pod.sandboxId,
        metadata: pod.config.metadata,
        ready: true,
        labels,
        annotations,
        ip: expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/) as string,
        namespaces: { network: "pod", pid: "container", ipc: "pod" },
      });
      expect(status.createdAtMs).toBeGreaterThan(1_600_000_000_000);
      expect((await contract.runtime.podSandboxStatus(other.sandboxId)).ip).not.toBe(status.ip);
    });

    test("on the node's network has no address", async () => {
      const namespaces = { network: "node", pid: "container", ipc: "pod" } as const;
      const pod = await contract.pods.start({ linux: { ...emptySandbox, namespaces } });
      expect(await contract.runtime.podSandboxStatus(pod.sandboxId)).toMatchObject({ ip: "", namespaces });
    });

    test("is stopped and removed by repeated calls", async () => {
      const pod = await contract.pods.start();
      const container = await pod.run("main", "sleep 1000");
      await contract.runtime.stopPodSandbox(pod.sandboxId);
      await contract.runtime.stopPodSandbox(pod.sandboxId);
      expect(await contract.runtime.podSandboxStatus(pod.sandboxId)).toMatchObject({ ready: false });
      expect(await contract.runtime.containerStatus(container)).toMatchObject({ state: "exited", exitCode: 137 });
      await contract.runtime.removePodSandbox(pod.sandboxId);
      await contract.runtime.removePodSandbox(pod.sandboxId);
      await contract.runtime.stopPodSandbox(pod.sandboxId);
      await expect(contract.runtime.podSandboxStatus(pod.sandboxId)).rejects.toMatchObject({ reason: "notFound" });
      await expect(contract.runtime.containerStatus(container)).rejects.toMatchObject({ reason: "notFound" });
    });

    test("that is running is removed with all its containers", async () => {
      const pod = await contract.pods.start();
      await pod.run("one", "sleep 1000");
      await pod.create("two", "true");
      await contract.runtime.removePodSandbox(pod.sandboxId);
      expect(await contract.runtime.listPodSandboxes({ id: pod.sandboxId })).toEqual([]);
      expect(await contract.runtime.listContainers({ sandboxId: pod.sandboxId })).toEqual([]);
    });

    test("cannot be created twice for the same attempt of a pod", async () => {
      const pod = await contract.pods.start();
      await expect(contract.pods.start({ metadata: pod.config.metadata })).rejects.toThrow(/is reserved for/);
      const next = await contract.pods.start({ metadata: { ...pod.config.metadata, attempt: 1 } });
      expect((await contract.runtime.podSandboxStatus(next.sandboxId)).metadata.attempt).toBe(1);
    });

    test("is found by id, readiness and labels", async () => {
      const [one, two] = [
        await contract.pods.start({ labels: { app: "a", tier: "x" } }),
        await contract.pods.start({ labels: { app: "a" } }),
      ];
      await contract.runtime.stopPodSandbox(two.sandboxId);
      const ids = async (filter: Parameters<ContainerRuntime["listPodSandboxes"]>[0]) =>
        (await contract.runtime.listPodSandboxes(filter)).map(({ id }) => id).sort();
      const both = [one.sandboxId, two.sandboxId].sort();
      expect(await ids({ labels: { app: "a" } })).toEqual(both);
      expect(await ids({ labels: { app: "a" }, ready: true })).toEqual([one.sandboxId]);
      expect(await ids({ labels: { app: "a" }, ready: false })).toEqual([two.sandboxId]);
      expect(await ids({ labels: { app: "a", tier: "x" } })).toEqual([one.sandboxId]);
      expect(await ids({ labels: { app: "b" } })).toEqual([]);
      expect(await ids({ id: two.sandboxId })).toEqual([two.sandboxId]);
      expect(await ids(undefined)).toEqual(expect.arrayContaining(both));
    });
  });
}

const emptySandbox = {
  cgroupParent: "",
  sysctls: {},
  supplementalGroups: [],
  groupsPolicy: "Merge" as const,
  readonlyRootfs: false,
  privileged: false,
};
