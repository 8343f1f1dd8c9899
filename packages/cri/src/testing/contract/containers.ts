import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ContainerRuntime } from "../../container-runtime.ts";
import { during, eventually } from "./contract-pods.ts";
import { type ContractRun, noId, noLimits, nowhere } from "./contract-run.ts";

/** The contract on containers, from their creation to their removal. */
export function describeContainers(contract: ContractRun): void {
  describe("a container", () => {
    test("is created, runs, and ends with its program's exit code", async () => {
      const pod = await contract.pods.start();
      const [labels, annotations] = [{ "io.kubernetes.container.name": "main" }, { hash: "abc" }];
      const id = await pod.create("main", "sleep 0.3; exit 3", { labels, annotations });
      const common = {
        id,
        metadata: { name: "main", attempt: 0 },
        labels,
        annotations,
        image: expect.stringMatching(/busybox/) as string,
        imageRef: expect.stringMatching(/sha256:[0-9a-f]{64}$/) as string,
      };
      const created = await contract.runtime.containerStatus(id);
      expect(created).toMatchObject({ ...common, state: "created", startedAtMs: 0, finishedAtMs: 0 });
      expect(created.logPath).toBe(join(pod.config.logDirectory, "main/0.log"));
      await contract.runtime.startContainer(id);
      const running = await contract.runtime.containerStatus(id);
      expect(running).toMatchObject({ ...common, state: "running", finishedAtMs: 0 });
      expect(running.startedAtMs).toBeGreaterThanOrEqual(created.createdAtMs);
      const ended = await pod.ended(id);
      expect(ended).toMatchObject({ ...common, state: "exited", exitCode: 3, reason: "Error" });
      expect(ended.finishedAtMs - running.startedAtMs).toBeGreaterThanOrEqual(250);
      const [listed] = await contract.runtime.listContainers({ id });
      expect(listed).toMatchObject({ ...common, sandboxId: pod.sandboxId, state: "exited" });
    });

    test("that ends with 0 has completed", async () => {
      const pod = await contract.pods.start();
      expect(await pod.ended(await pod.run("main", "exit 0"))).toMatchObject({ exitCode: 0, reason: "Completed" });
    });

    test("is started once", async () => {
      const pod = await contract.pods.start();
      const id = await pod.run("main", "sleep 0.2");
      await expect(contract.runtime.startContainer(id)).rejects.toThrow(/CONTAINER_RUNNING/);
      await pod.ended(id);
      await expect(contract.runtime.startContainer(id)).rejects.toThrow(/CONTAINER_EXITED/);
    });

    test("cannot be created twice for the same attempt, or from a missing image", async () => {
      const pod = await contract.pods.start();
      await pod.create("main", "true");
      await expect(pod.create("main", "true")).rejects.toThrow(/is reserved for/);
      await pod.create("main", "true", { metadata: { name: "main", attempt: 1 } });
      await expect(pod.create("other", "true", { image: nowhere })).rejects.toMatchObject({ reason: "notFound" });
      expect(await contract.runtime.listContainers({ sandboxId: pod.sandboxId })).toHaveLength(2);
    });

    test("is not started in a stopped sandbox, even if it can be created there", async () => {
      const pod = await contract.pods.start();
      const id = await pod.create("main", "true");
      await contract.runtime.stopPodSandbox(pod.sandboxId);
      // containerd 1.6 and 1.7 do not create a container in a stopped sandbox; 2.1 does create the
      // container.
      const other = pod.create("other", "true").then((otherId) => contract.runtime.startContainer(otherId));
      await expect(other).rejects.toThrow(/is not running|not found/);
      await expect(contract.runtime.startContainer(id)).rejects.toThrow(/is not running/);
    });

    test("receives a signal to end before it is killed", async () => {
      const pod = await contract.pods.start();
      const obedient = await pod.run("obedient", "trap 'exit 4' TERM; while true; do sleep 0.1; done");
      await eventually(contract.subject, async () => {
        // Continues only after the script has set its trap.
        const { exitCode } = await contract.runtime.execSync(obedient, ["true"], 5);
        return exitCode === 0 || undefined;
      });
      await contract.subject.pass(300);
      await during(contract.subject, contract.runtime.stopContainer(obedient, 15));
      expect(await contract.runtime.containerStatus(obedient)).toMatchObject({ state: "exited", exitCode: 4 });
    });

    test("is killed at the end of its grace period, and immediately without a grace period", async () => {
      const pod = await contract.pods.start();
      const [slow, other] = [await pod.run("slow", "exec sleep 1000"), await pod.run("other", "exec sleep 1000")];
      const before = await contract.runtime.containerStatus(slow);
      await during(contract.subject, contract.runtime.stopContainer(slow, 1));
      const after = await contract.runtime.containerStatus(slow);
      expect(after).toMatchObject({ state: "exited", exitCode: 137, reason: "Error" });
      expect(after.finishedAtMs - before.startedAtMs).toBeGreaterThanOrEqual(1000);
      await during(contract.subject, contract.runtime.stopContainer(other, 0));
      expect(await contract.runtime.containerStatus(other)).toMatchObject({ state: "exited", exitCode: 137 });
    });

    test("continues when the caller no longer waits for its end", async () => {
      const pod = await contract.pods.start();
      const id = await pod.run("main", "exec sleep 1000");
      // The process is runc until runc executes the container's program, and runc ends at the
      // signal.
      await contract.subject.pass(300);
      const controller = new AbortController();
      const stopping = contract.runtime.stopContainer(id, 600, controller.signal);
      stopping.catch(() => {});
      await contract.subject.pass(200);
      controller.abort();
      await expect(stopping).rejects.toMatchObject({ reason: "cancelled" });
      await contract.subject.pass(200);
      expect(await contract.runtime.containerStatus(id)).toMatchObject({ state: "running" });
    });

    test("is stopped and removed by repeated calls in any state", async () => {
      const pod = await contract.pods.start();
      const created = await pod.create("created", "true");
      await contract.runtime.stopContainer(created, 1);
      expect(await contract.runtime.containerStatus(created)).toMatchObject({ state: "created" });
      const running = await pod.run("running", "exec sleep 1000");
      await contract.runtime.removeContainer(running);
      const exited = await pod.run("exited", "true");
      await pod.ended(exited);
      for (const id of [created, running, exited, noId]) {
        await contract.runtime.stopContainer(id, 1);
        await contract.runtime.removeContainer(id);
        await contract.runtime.removeContainer(id);
        await contract.runtime.stopContainer(id, 1);
      }
      expect(await contract.runtime.listContainers({ sandboxId: pod.sandboxId })).toEqual([]);
    });

    test("that exceeds its memory limit is OOM-killed", async () => {
      const pod = await contract.pods.start();
      const reasons: string[] = [];
      // containerd detects the kill separately from the end, and misses some kills, so the kubelet
      // also reads the kernel's log (apps/kubelet/src/machine/kernel).
      for (let attempt = 0; attempt < 3 && !reasons.includes("OOMKilled"); attempt++) {
        const resources = { memoryLimitBytes: 32 * 1024 * 1024 };
        const ended = await pod.ended(await pod.run(`greedy-${attempt}`, "tail /dev/zero", { resources }));
        expect(ended.exitCode).toBe(137);
        reasons.push(ended.reason);
      }
      expect(reasons).toContain("OOMKilled");
    });

    test("is found by id, sandbox, state and labels", async () => {
      const [pod, other] = [await contract.pods.start(), await contract.pods.start()];
      const [labels, label] = [{ app: "listed", part: "1" }, { app: "listed" }];
      const running = await pod.run("running", "sleep 1000", { labels });
      const exited = await pod.run("exited", "true", { labels: label });
      const created = await other.create("created", "true", { labels: label });
      await pod.ended(exited);
      const ids = async (filter: Parameters<ContainerRuntime["listContainers"]>[0]) =>
        (await contract.runtime.listContainers(filter)).map(({ id }) => id).sort();
      expect(await ids({ labels: label })).toEqual([running, exited, created].sort());
      expect(await ids({ labels })).toEqual([running]);
      expect(await ids({ sandboxId: pod.sandboxId })).toEqual([running, exited].sort());
      expect(await ids({ labels: label, state: "exited" })).toEqual([exited]);
      expect(await ids({ labels: label, state: "created" })).toEqual([created]);
      expect(await ids({ sandboxId: pod.sandboxId, state: "running" })).toEqual([running]);
      expect(await ids({ id: created })).toEqual([created]);
      expect(await ids({ id: noId })).toEqual([]);
      expect(await ids(undefined)).toEqual(expect.arrayContaining([running, exited, created]));
    });

    test("is listed for a new client", async () => {
      const pod = await contract.pods.start();
      const id = await pod.run("main", "sleep 1000");
      const before = await contract.runtime.containerStatus(id);
      const next = contract.subject.reconnect();
      try {
        expect(await next.containerStatus(id)).toEqual(before);
        expect((await next.listPodSandboxes({ id: pod.sandboxId }))[0]).toMatchObject({ ready: true });
      } finally {
        next.close();
      }
    });

    test("can be updated with other resources, and its usage is reported", async () => {
      const pod = await contract.pods.start();
      const id = await pod.run("main", "while true; do sleep 0.05; done", { labels: { app: "measured" } });
      await contract.runtime.updateContainerResources(id, { ...noLimits, memoryLimitBytes: 64 * 1024 * 1024 });
      const stats = await eventually(contract.subject, async () => {
        const [found] = await contract.runtime.listContainerStats({ labels: { app: "measured" } });
        return found && found.cpuUsageNanoseconds > 0 ? found : undefined;
      });
      expect(stats).toMatchObject({ containerId: id, name: "main", labels: { app: "measured" } });
      expect(stats.memoryWorkingSetBytes).toBeGreaterThan(0);
      expect(await contract.runtime.listContainerStats({ id: noId })).toEqual([]);
      const ofSandbox = await eventually(contract.subject, async () => {
        const [found] = await contract.runtime.listPodSandboxStats({ id: pod.sandboxId });
        // The shell is the only process between two sleeps.
        return found && found.processCount !== undefined && found.processCount >= 2 ? found : undefined;
      });
      expect(ofSandbox).toMatchObject({ sandboxId: pod.sandboxId, metadata: pod.config.metadata });
      expect(ofSandbox.cpuUsageNanoseconds).toBeGreaterThanOrEqual(stats.cpuUsageNanoseconds);
      expect(ofSandbox.memoryWorkingSetBytes).toBeGreaterThan(0);
      expect(ofSandbox.network?.default?.name).toBe("eth0");
      expect(await contract.runtime.listPodSandboxStats({ id: noId })).toEqual([]);
    });
  });
}
