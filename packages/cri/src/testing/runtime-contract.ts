import { join } from "node:path";
import { forwardOnce, runStreamedCommand } from "@kintsugi/streaming/testing";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ContainerRuntime, RuntimeEvent } from "../container-runtime.ts";
import { ContractPods, during, eventually, type RuntimeContractSubject } from "./contract-pods.ts";

export type { RuntimeContractSubject } from "./contract-pods.ts";

/** Some of the contract's tests start half a dozen real containers on a busy machine. */
const testTimeoutMs = 60_000;
const noId = "0".repeat(64);
const nowhere = "registry.invalid/none:1";

/** What every ContainerRuntime does, whether containerd is behind it or a fake. */
export function describeRuntimeContract(name: string, open: () => Promise<RuntimeContractSubject>): void {
  describe(`${name} keeps the runtime contract`, { timeout: testTimeoutMs }, () => {
    let subject: RuntimeContractSubject;
    let runtime: ContainerRuntime;
    let pods: ContractPods;
    beforeAll(async () => {
      subject = await open();
      runtime = subject.runtime;
      pods = new ContractPods(subject);
    }, testTimeoutMs);
    afterEach(async () => await pods.removeAll());
    afterAll(async () => await subject?.[Symbol.asyncDispose](), testTimeoutMs);

    const eachCall: [string, (runtime: ContainerRuntime) => Promise<unknown>][] = [
      ["podSandboxStatus", (r) => r.podSandboxStatus(noId)],
      ["containerStatus", (r) => r.containerStatus(noId)],
      ["startContainer", (r) => r.startContainer(noId)],
      ["execSync", (r) => r.execSync(noId, ["true"], 1)],
      ["updateContainerResources", (r) => r.updateContainerResources(noId, noLimits)],
      ["reopenContainerLog", (r) => r.reopenContainerLog(noId)],
      ["portForward", (r) => r.portForward(noId, [80])],
    ];

    describe("the runtime itself", () => {
      test("says its name and that it and its network are ready", async () => {
        const version = await runtime.version();
        expect(version.runtimeName).not.toBe("");
        expect(version.runtimeApiVersion).toBe("v1");
        const { conditions } = await runtime.status();
        expect(conditions).toContainEqual(expect.objectContaining({ type: "RuntimeReady", status: true }));
        expect(conditions).toContainEqual(expect.objectContaining({ type: "NetworkReady", status: true }));
        await runtime.updatePodCidr("10.244.0.0/24");
      });

      test.each(eachCall)("%s of what does not exist is notFound", async (_, call) => {
        await expect(call(runtime)).rejects.toMatchObject({ name: "RuntimeError", reason: "notFound" });
      });

      test("a call whose signal has aborted is cancelled", async () => {
        const error = expect.objectContaining({ name: "RuntimeError", reason: "cancelled" }) as Error;
        await expect(runtime.version(AbortSignal.abort())).rejects.toEqual(error);
        await expect(runtime.listContainers({}, AbortSignal.abort())).rejects.toEqual(error);
      });

      test("tells where its images are", async () => {
        const [images] = await runtime.imageFsInfo();
        expect(images?.mountpoint).toMatch(/^\//);
        expect(images?.timestampMs).toBeGreaterThan(1_600_000_000_000);
      });
    });

    describe("a sandbox", () => {
      test("is ready with an address of its own, and keeps what it was given", async () => {
        const labels = { "io.kubernetes.pod.name": "web", empty: "" };
        const annotations = { "kubernetes.io/config.source": "api", text: 'with "quotes"\nand ü' };
        const pod = await pods.start({ labels, annotations });
        const other = await pods.start();
        const status = await runtime.podSandboxStatus(pod.sandboxId);
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
        expect((await runtime.podSandboxStatus(other.sandboxId)).ip).not.toBe(status.ip);
      });

      test("on the node's network has no address", async () => {
        const namespaces = { network: "node", pid: "container", ipc: "pod" } as const;
        const pod = await pods.start({ linux: { ...emptySandbox, namespaces } });
        expect(await runtime.podSandboxStatus(pod.sandboxId)).toMatchObject({ ip: "", namespaces });
      });

      test("stops and goes, however often it is told", async () => {
        const pod = await pods.start();
        const container = await pod.run("main", "sleep 1000");
        await runtime.stopPodSandbox(pod.sandboxId);
        await runtime.stopPodSandbox(pod.sandboxId);
        expect(await runtime.podSandboxStatus(pod.sandboxId)).toMatchObject({ ready: false });
        expect(await runtime.containerStatus(container)).toMatchObject({ state: "exited", exitCode: 137 });
        await runtime.removePodSandbox(pod.sandboxId);
        await runtime.removePodSandbox(pod.sandboxId);
        await runtime.stopPodSandbox(pod.sandboxId);
        await expect(runtime.podSandboxStatus(pod.sandboxId)).rejects.toMatchObject({ reason: "notFound" });
        await expect(runtime.containerStatus(container)).rejects.toMatchObject({ reason: "notFound" });
      });

      test("that is running is removed with all its containers", async () => {
        const pod = await pods.start();
        await pod.run("one", "sleep 1000");
        await pod.create("two", "true");
        await runtime.removePodSandbox(pod.sandboxId);
        expect(await runtime.listPodSandboxes({ id: pod.sandboxId })).toEqual([]);
        expect(await runtime.listContainers({ sandboxId: pod.sandboxId })).toEqual([]);
      });

      test("cannot be made twice for the same attempt of a pod", async () => {
        const pod = await pods.start();
        await expect(pods.start({ metadata: pod.config.metadata })).rejects.toThrow(/is reserved for/);
        const next = await pods.start({ metadata: { ...pod.config.metadata, attempt: 1 } });
        expect((await runtime.podSandboxStatus(next.sandboxId)).metadata.attempt).toBe(1);
      });

      test("is found by id, readiness and labels", async () => {
        const [one, two] = [
          await pods.start({ labels: { app: "a", tier: "x" } }),
          await pods.start({ labels: { app: "a" } }),
        ];
        await runtime.stopPodSandbox(two.sandboxId);
        const ids = async (filter: Parameters<ContainerRuntime["listPodSandboxes"]>[0]) =>
          (await runtime.listPodSandboxes(filter)).map(({ id }) => id).sort();
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

    describe("a container", () => {
      test("is created, runs, and ends with its program's code", async () => {
        const pod = await pods.start();
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
        const created = await runtime.containerStatus(id);
        expect(created).toMatchObject({ ...common, state: "created", startedAtMs: 0, finishedAtMs: 0 });
        expect(created.logPath).toBe(join(pod.config.logDirectory, "main/0.log"));
        await runtime.startContainer(id);
        const running = await runtime.containerStatus(id);
        expect(running).toMatchObject({ ...common, state: "running", finishedAtMs: 0 });
        expect(running.startedAtMs).toBeGreaterThanOrEqual(created.createdAtMs);
        const ended = await pod.ended(id);
        expect(ended).toMatchObject({ ...common, state: "exited", exitCode: 3, reason: "Error" });
        expect(ended.finishedAtMs - running.startedAtMs).toBeGreaterThanOrEqual(250);
        const [listed] = await runtime.listContainers({ id });
        expect(listed).toMatchObject({ ...common, sandboxId: pod.sandboxId, state: "exited" });
      });

      test("that ends with 0 has completed", async () => {
        const pod = await pods.start();
        expect(await pod.ended(await pod.run("main", "exit 0"))).toMatchObject({ exitCode: 0, reason: "Completed" });
      });

      test("is started once", async () => {
        const pod = await pods.start();
        const id = await pod.run("main", "sleep 0.2");
        await expect(runtime.startContainer(id)).rejects.toThrow(/CONTAINER_RUNNING/);
        await pod.ended(id);
        await expect(runtime.startContainer(id)).rejects.toThrow(/CONTAINER_EXITED/);
      });

      test("cannot be made twice for the same attempt, nor of an image that is not there", async () => {
        const pod = await pods.start();
        await pod.create("main", "true");
        await expect(pod.create("main", "true")).rejects.toThrow(/is reserved for/);
        await pod.create("main", "true", { metadata: { name: "main", attempt: 1 } });
        await expect(pod.create("other", "true", { image: nowhere })).rejects.toMatchObject({ reason: "notFound" });
        expect(await runtime.listContainers({ sandboxId: pod.sandboxId })).toHaveLength(2);
      });

      test("is not made or started in a sandbox that has stopped", async () => {
        const pod = await pods.start();
        const id = await pod.create("main", "true");
        await runtime.stopPodSandbox(pod.sandboxId);
        await expect(pod.create("other", "true")).rejects.toMatchObject({ reason: "notFound" });
        await expect(runtime.startContainer(id)).rejects.toThrow(/is not running/);
      });

      test("is asked to end before it is killed", async () => {
        const pod = await pods.start();
        const obedient = await pod.run("obedient", "trap 'exit 4' TERM; while true; do sleep 0.1; done");
        await eventually(subject, async () => {
          // Only when the script has set its trap.
          const { exitCode } = await runtime.execSync(obedient, ["true"], 5);
          return exitCode === 0 || undefined;
        });
        await subject.pass(300);
        await during(subject, runtime.stopContainer(obedient, 15));
        expect(await runtime.containerStatus(obedient)).toMatchObject({ state: "exited", exitCode: 4 });
      });

      test("is killed when its time to end is over, and at once when there is none", async () => {
        const pod = await pods.start();
        const [slow, other] = [await pod.run("slow", "exec sleep 1000"), await pod.run("other", "exec sleep 1000")];
        const before = await runtime.containerStatus(slow);
        await during(subject, runtime.stopContainer(slow, 1));
        const after = await runtime.containerStatus(slow);
        expect(after).toMatchObject({ state: "exited", exitCode: 137, reason: "Error" });
        expect(after.finishedAtMs - before.startedAtMs).toBeGreaterThanOrEqual(1000);
        await during(subject, runtime.stopContainer(other, 0));
        expect(await runtime.containerStatus(other)).toMatchObject({ state: "exited", exitCode: 137 });
      });

      test("goes on when the caller no longer waits for its end", async () => {
        const pod = await pods.start();
        const id = await pod.run("main", "exec sleep 1000");
        const controller = new AbortController();
        const stopping = runtime.stopContainer(id, 600, controller.signal);
        stopping.catch(() => {});
        await subject.pass(200);
        controller.abort();
        await expect(stopping).rejects.toMatchObject({ reason: "cancelled" });
        await subject.pass(200);
        expect(await runtime.containerStatus(id)).toMatchObject({ state: "running" });
      });

      test("stops and goes, however often it is told, whatever its state", async () => {
        const pod = await pods.start();
        const created = await pod.create("created", "true");
        await runtime.stopContainer(created, 1);
        expect(await runtime.containerStatus(created)).toMatchObject({ state: "created" });
        const running = await pod.run("running", "exec sleep 1000");
        await runtime.removeContainer(running);
        const exited = await pod.run("exited", "true");
        await pod.ended(exited);
        for (const id of [created, running, exited, noId]) {
          await runtime.stopContainer(id, 1);
          await runtime.removeContainer(id);
          await runtime.removeContainer(id);
          await runtime.stopContainer(id, 1);
        }
        expect(await runtime.listContainers({ sandboxId: pod.sandboxId })).toEqual([]);
      });

      test("that takes more memory than its limit is killed for that", async () => {
        const pod = await pods.start();
        const id = await pod.run("main", "tail /dev/zero", { resources: { memoryLimitBytes: 32 * 1024 * 1024 } });
        expect(await pod.ended(id)).toMatchObject({ exitCode: 137, reason: "OOMKilled" });
      });

      test("is found by id, sandbox, state and labels", async () => {
        const [pod, other] = [await pods.start(), await pods.start()];
        const [labels, label] = [{ app: "listed", part: "1" }, { app: "listed" }];
        const running = await pod.run("running", "sleep 1000", { labels });
        const exited = await pod.run("exited", "true", { labels: label });
        const created = await other.create("created", "true", { labels: label });
        await pod.ended(exited);
        const ids = async (filter: Parameters<ContainerRuntime["listContainers"]>[0]) =>
          (await runtime.listContainers(filter)).map(({ id }) => id).sort();
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

      test("is still there for a client that has just come", async () => {
        const pod = await pods.start();
        const id = await pod.run("main", "sleep 1000");
        const before = await runtime.containerStatus(id);
        const next = subject.reconnect();
        try {
          expect(await next.containerStatus(id)).toEqual(before);
          expect((await next.listPodSandboxes({ id: pod.sandboxId }))[0]).toMatchObject({ ready: true });
        } finally {
          next.close();
        }
      });

      test("can be given other resources, and what it uses is told", async () => {
        const pod = await pods.start();
        const id = await pod.run("main", "while true; do sleep 0.05; done", { labels: { app: "measured" } });
        await runtime.updateContainerResources(id, { ...noLimits, memoryLimitBytes: 64 * 1024 * 1024 });
        const stats = await eventually(subject, async () => {
          const [found] = await runtime.listContainerStats({ labels: { app: "measured" } });
          return found && found.cpuUsageNanoseconds > 0 ? found : undefined;
        });
        expect(stats).toMatchObject({ containerId: id, name: "main", labels: { app: "measured" } });
        expect(stats.memoryWorkingSetBytes).toBeGreaterThan(0);
        expect(await runtime.listContainerStats({ id: noId })).toEqual([]);
        const [ofSandbox] = await runtime.listPodSandboxStats({ id: pod.sandboxId });
        expect(ofSandbox).toMatchObject({ sandboxId: pod.sandboxId, metadata: pod.config.metadata });
        expect(ofSandbox?.cpuUsageNanoseconds).toBeGreaterThanOrEqual(stats.cpuUsageNanoseconds);
        expect(ofSandbox?.memoryWorkingSetBytes).toBeGreaterThan(0);
        expect(ofSandbox?.processCount).toBeGreaterThanOrEqual(2);
        expect(ofSandbox?.network?.default?.name).toBe("eth0");
        expect(await runtime.listPodSandboxStats({ id: noId })).toEqual([]);
      });
    });

    describe("a container's log", () => {
      test("has one line per line of output, with time and stream", async () => {
        const pod = await pods.start();
        await pod.ended(await pod.run("main", "echo one; sleep 0.2; echo two >&2; sleep 0.2; echo three"));
        const path = join(pod.config.logDirectory, "main/0.log");
        const text = await eventually(subject, async () => {
          const read = await subject.readLog(path);
          return read.includes("three") ? read : undefined;
        });
        const lines = text.trimEnd().split("\n");
        expect(lines.map((line) => line.split(" ").slice(1).join(" "))).toEqual([
          "stdout F one",
          "stderr F two",
          "stdout F three",
        ]);
        for (const line of lines) expect(line).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}(?:Z|[+-]\d\d:\d\d) /);
      });

      test("goes on in a new file after it was rotated", async () => {
        const pod = await pods.start();
        const id = await pod.run("main", "while true; do echo tick; sleep 0.05; done");
        const path = join(pod.config.logDirectory, "main/0.log");
        const hasTicks = async () => (await subject.readLog(path)).includes("tick") || undefined;
        await eventually(subject, hasTicks);
        await subject.renameLog(path, `${path}.1`);
        await runtime.reopenContainerLog(id);
        await eventually(subject, hasTicks);
        await during(subject, runtime.stopContainer(id, 0));
        await expect(runtime.reopenContainerLog(id)).rejects.toThrow(/not running/);
      });
    });

    describe("a command in a container", () => {
      test("gives its output and its code", async () => {
        const pod = await pods.start();
        const id = await pod.run("main", "sleep 1000");
        const result = await during(subject, runtime.execSync(id, ["sh", "-c", "echo out; echo err >&2; exit 5"], 10));
        expect([text(result.stdout), text(result.stderr), result.exitCode]).toEqual(["out\n", "err\n", 5]);
      });

      test("sees what the container's program did, and the other way round", async () => {
        const pod = await pods.start();
        const id = await pod.run(
          "main",
          "touch /tmp/healthy; while true; do sleep 0.05; test -f /tmp/stop && exit 6; done",
        );
        await eventually(subject, async () => {
          const { exitCode } = await runtime.execSync(id, ["cat", "/tmp/healthy"], 5);
          return exitCode === 0 || undefined;
        });
        await runtime.execSync(id, ["sh", "-c", "touch /tmp/stop"], 5);
        expect(await pod.ended(id)).toMatchObject({ exitCode: 6 });
      });

      test("is over when its time is", async () => {
        const pod = await pods.start();
        const id = await pod.run("main", "sleep 1000");
        const late = during(subject, runtime.execSync(id, ["sleep", "1000"], 1));
        await expect(late).rejects.toMatchObject({ reason: "deadlineExceeded" });
        expect(await runtime.containerStatus(id)).toMatchObject({ state: "running" });
      });

      test("needs a program that is there and a container that runs", async () => {
        const pod = await pods.start();
        const id = await pod.run("main", "sleep 1000");
        await expect(runtime.execSync(id, ["no-such-program"], 5)).rejects.toThrow(/executable file not found/);
        await during(subject, runtime.stopContainer(id, 0));
        await expect(runtime.execSync(id, ["true"], 5)).rejects.toMatchObject({ reason: "failed" });
      });

      test("and other streams have an address", async () => {
        const pod = await pods.start();
        const containerId = await pod.run("main", "sleep 1000");
        const streams = { containerId, stdin: false, stdout: true, stderr: true, tty: false };
        expect(await runtime.exec({ ...streams, command: ["sh"] })).toMatch(/^http:\/\/.+\/exec\/./);
        expect(await runtime.attach(streams)).toMatch(/^http:\/\/.+\/attach\/./);
        expect(await runtime.portForward(pod.sandboxId, [80])).toMatch(/^http:\/\/.+\/portforward\/./);
        await during(subject, runtime.stopContainer(containerId, 0));
        await expect(runtime.exec({ ...streams, command: ["sh"] })).rejects.toMatchObject({ reason: "failed" });
      });
    });

    describe("a stream", () => {
      const reach = async (url: Promise<string>) => await subject.reach(await url);
      const outputOnly = { stdin: false, stdout: true, stderr: true, tty: false };

      test("of a command gives its output and its code, once", async () => {
        const containerId = await (await pods.start()).run("main", "sleep 1000");
        const command = ["sh", "-c", "echo out; echo err >&2; exit 3"];
        const url = await reach(runtime.exec({ containerId, command, ...outputOnly }));
        expect(await during(subject, runStreamedCommand(url))).toMatchObject({
          stdout: "out\n",
          stderr: "err\n",
          outcome: { reason: "NonZeroExitCode", details: { causes: [{ reason: "ExitCode", message: "3" }] } },
        });
        await expect(runStreamedCommand(url)).rejects.toThrow("the runtime answered with 404");
      });

      test("of a command takes its input, and tells it the end", async () => {
        const containerId = await (await pods.start()).run("main", "sleep 1000");
        const url = await reach(runtime.exec({ containerId, command: ["cat"], ...outputOnly, stdin: true }));
        expect(await during(subject, runStreamedCommand(url, "one\ntwo\n"))).toMatchObject({
          stdout: "one\ntwo\n",
          outcome: { status: "Success" },
        });
      });

      test("of a command that is not there says so", async () => {
        const containerId = await (await pods.start()).run("main", "sleep 1000");
        const url = await reach(runtime.exec({ containerId, command: ["no-such-program"], ...outputOnly }));
        const { outcome } = await during(subject, runStreamedCommand(url));
        expect(outcome).toMatchObject({ reason: "InternalError", status: "Failure" });
        expect(outcome?.message).toMatch(/executable file not found/);
      });

      test("joins the container's own program", async () => {
        const pod = await pods.start();
        const containerId = await pod.run("main", "cat", { stdin: true, stdinOnce: true });
        const url = await reach(runtime.attach({ containerId, ...outputOnly, stdin: true }));
        expect(await during(subject, runStreamedCommand(url, "hello\n"))).toMatchObject({ stdout: "hello\n" });
        expect(await pod.ended(containerId)).toMatchObject({ exitCode: 0 });
      });

      test("to a port where nobody listens says so", async () => {
        const pod = await pods.start();
        await pod.run("main", "sleep 1000");
        const url = await reach(runtime.portForward(pod.sandboxId, [9]));
        const { error } = await during(subject, forwardOnce(url, { port: 9, text: "anybody?" }));
        expect(error).toMatch(/connection refused/);
      });
    });

    describe("the events", () => {
      test("tell within a second what happens to containers and sandboxes, and nothing of commands in them", async () => {
        await using events = await follow(subject);
        const pod = await pods.start();
        const id = await pod.run("main", "sleep 1; exit 3");
        await runtime.execSync(id, ["true"], 5);
        const status = await pod.ended(id);
        const stopped = await eventually(subject, () => events.find("stopped", id), 1000);
        expect(stopped).toMatchObject({ exitCode: 3 });
        expect(Math.abs(stopped.atMs - status.finishedAtMs)).toBeLessThan(1000);
        await runtime.removePodSandbox(pod.sandboxId);
        await eventually(subject, () => events.find("deleted", pod.sandboxId), 1000);
        const of = (wanted: string) =>
          events.seen.flatMap((event) =>
            event.type !== "connected" && event.containerId === wanted ? [event.type] : [],
          );
        expect(of(id)).toEqual(["created", "started", "stopped", "deleted"]);
        expect(of(pod.sandboxId)).toEqual(["created", "started", "stopped", "deleted"]);
      });

      test("tell that a container was killed for want of memory", async () => {
        await using events = await follow(subject);
        const pod = await pods.start();
        const id = await pod.run("main", "tail /dev/zero", { resources: { memoryLimitBytes: 32 * 1024 * 1024 } });
        expect(await eventually(subject, () => events.find("stopped", id))).toMatchObject({ exitCode: 137 });
        const oom = () => events.find("oom", id);
        const told = subject.tellsOomKills ? await eventually(subject, oom, 1000) : oom();
        expect(told?.type).toBe(subject.tellsOomKills ? "oom" : undefined);
      });

      test("begin with connected, reach every subscriber, and end when told", async () => {
        const [first, second] = [await follow(subject), await follow(subject)];
        const pod = await pods.start();
        for (const events of [first, second]) {
          await eventually(subject, () => events.find("started", pod.sandboxId), 1000);
          expect(events.seen.map(({ type }) => type).indexOf("connected")).toBe(0);
          expect(events.seen.filter(({ type }) => type === "connected")).toHaveLength(1);
          await events[Symbol.asyncDispose]();
        }
      });
    });

    describe("an image", () => {
      test("is found by any of its names and by its id, and listed once", async () => {
        const image = await runtime.imageStatus("busybox");
        expect(image).toMatchObject({ id: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string, username: "" });
        expect(image?.repoTags).toContain("docker.io/library/busybox:latest");
        expect(image?.sizeBytes).toBeGreaterThan(0);
        expect(await runtime.imageStatus("docker.io/library/busybox:1.36")).toEqual(image);
        expect(await runtime.imageStatus(image?.id ?? "")).toEqual(image);
        expect((await runtime.listImages()).filter(({ id }) => id === image?.id)).toEqual([image]);
      });

      test("that is not there has no status, and is removed without a complaint", async () => {
        expect(await runtime.imageStatus(nowhere)).toBeUndefined();
        await runtime.removeImage(nowhere);
      });

      test("that cannot be pulled says why", async () => {
        const pulling = during(subject, runtime.pullImage(nowhere));
        await expect(pulling).rejects.toMatchObject({
          reason: "failed",
          // What comes after that depends on whether there is a network at all.
          message: expect.stringMatching(/failed to resolve reference "registry\.invalid\/none:1"/) as string,
        });
      });
    });
  });
}

const emptySandbox = {
  cgroupParent: "",
  sysctls: {},
  supplementalGroups: [],
  readonlyRootfs: false,
  privileged: false,
};
const noLimits = { cpuPeriod: 0, cpuQuota: 0, cpuShares: 0, memoryLimitBytes: 0, oomScoreAdj: 0 };

/** Reads events from the moment that the stream stands. */
async function follow(subject: RuntimeContractSubject) {
  const seen: RuntimeEvent[] = [];
  const controller = new AbortController();
  const reading = (async () => {
    for await (const event of subject.runtime.events(controller.signal)) seen.push(event);
  })();
  reading.catch(() => {});
  await eventually(subject, () => seen[0]);
  return {
    seen,
    find: (type: "stopped" | "started" | "oom" | "deleted", containerId: string) =>
      seen.find((event) => event.type === type && event.containerId === containerId) as
        | Exclude<RuntimeEvent, { type: "connected" }>
        | undefined,
    async [Symbol.asyncDispose]() {
      controller.abort();
      await reading;
    },
  };
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}
