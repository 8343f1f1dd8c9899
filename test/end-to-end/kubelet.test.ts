import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { configMaps, type Pod, pods, type PodSpec } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { type ContainerRuntime, createCriRuntime } from "@kintsugi/cri";
import { kubeletDefaults } from "@kintsugi/kubelet/factory";
import type { PrivateContainerd } from "@kintsugi/lab";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { boundPod } from "../support/node/bound-pod.ts";
import { sayWhyNot, whyNoClusters } from "../support/host-abilities.ts";
import { createKubeletOnContainerd, createNodeClient } from "../support/node/kubelet-on-containerd.ts";
import { startOwnContainerd } from "../support/node/own-containerd.ts";
import { eventually } from "../support/run-program.ts";

const deps = { clock: systemClock, random: systemRandom };
const memoryDirectory = `/dev/shm/kintsugi-kubelet-test-${process.pid}`;

describe.skipIf(sayWhyNot("a kubelet on a real containerd", whyNoClusters()))("a kubelet on a real containerd", () => {
  let containerd: PrivateContainerd;
  let runtime: ContainerRuntime;
  const client = createNodeClient();
  let running: { stop(): Promise<void> };
  /** The interval is long enough to distinguish a busy machine from a kubelet without events. */
  const lookEveryMs = 40_000;

  /** Starts a kubelet with short delays; its containers outlive it. */
  async function startKubelet(): Promise<{ stop(): Promise<void> }> {
    const kubelet = await createKubeletOnContainerd({ client, runtime, containerd }, memoryDirectory, {
      restartBackoff: { initialMs: 300, maxMs: 2000, resetMs: 60_000, floorMs: 300 },
      // An earlier action of the kubelet follows from an event.
      pleg: { ...kubeletDefaults.pleg, relistIntervalMs: lookEveryMs, relistIntervalWithEventsMs: lookEveryMs },
    });
    const stop = new AbortController();
    const ended = kubelet.run(stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
    return {
      stop: async () => {
        stop.abort(new Error("stopped"));
        await ended;
      },
    };
  }

  beforeAll(async () => {
    const name = `kubelet-${process.pid}`;
    containerd = await startOwnContainerd({
      directory: `/tmp/kk-${process.pid}`,
      name,
      podCidr: "10.199.7.0/24",
    });
    runtime = createCriRuntime(deps, { endpoint: containerd.endpoint });
    running = await startKubelet();
  });
  afterAll(async () => {
    await running?.stop();
    runtime?.close();
    await containerd?.[Symbol.asyncDispose]();
    await rm(memoryDirectory, { recursive: true, force: true });
  });

  const pod = (name: string) => client.get(pods, { namespace: "default", name });
  const containerOf = async (name: string) => (await pod(name)).status?.containerStatuses?.[0];

  async function run(name: string, command: string, spec: Partial<PodSpec> = {}): Promise<void> {
    await client.create(pods, boundPod(name, command, spec));
  }

  async function remove(name: string): Promise<Pod> {
    const current = await pod(name);
    const metadata = { ...current.metadata, deletionTimestamp: "2030-01-01T00:00:00Z", deletionGracePeriodSeconds: 1 };
    await client.update(pods, { ...current, metadata });
    await eventually(
      `${name} is gone`,
      async () => (await client.find(pods, { namespace: "default", name })) === undefined,
    );
    return current;
  }

  test("runs a pod with an address, variables, a volume and a log, and removes every trace of it", async () => {
    await run("web", 'echo "$GREETING from $POD_IP"; cat /config/motto; hostname; sleep 3600', {
      volumes: [{ name: "config", configMap: { name: "words" } }],
      containers: [
        {
          name: "c",
          env: [
            { name: "GREETING", value: "hello" },
            { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
          ],
          volumeMounts: [{ name: "config", mountPath: "/config" }],
          resources: { requests: { cpu: "50m" }, limits: { memory: "32Mi", cpu: "100m" } },
        },
      ],
    });
    await eventually("a refusal that names the missing ConfigMap", async () =>
      (await containerOf("web"))?.state?.waiting?.message?.includes(
        'MountVolume.SetUp failed for volume "config" : configmap "words" not found',
      ),
    );
    await client.create(configMaps, {
      metadata: { name: "words", namespace: "default" },
      data: { motto: "repaired\n" },
    });
    const status = await eventually("web runs", async () => {
      const { status: now } = await pod("web");
      return now?.containerStatuses?.[0]?.state?.running ? now : undefined;
    });
    expect(status).toMatchObject({ phase: "Running", qosClass: "Burstable", hostIP: "10.0.0.1" });
    expect(status.podIP).toMatch(/^10\.199\.7\./);
    const { uid } = (await pod("web")).metadata;
    const logFile = join(containerd.directory, "logs", `default_web_${uid}`, "c", "0.log");
    const log = await eventually("three lines", async () => {
      const text = await readFile(logFile, "utf8").catch(() => "");
      return text.trim().split("\n").length >= 3 ? text : undefined;
    });
    expect(log).toMatch(new RegExp(`stdout F hello from ${status.podIP}\n.*stdout F repaired\n.*stdout F web\n`));

    await remove("web");
    await eventually("the runtime is empty", async () => (await runtime.listPodSandboxes()).length === 0);
    expect(await runtime.listContainers()).toEqual([]);
    await eventually("directories and cgroups are gone", async () =>
      [
        join(containerd.directory, "logs", `default_web_${uid}`),
        join(containerd.directory, "kubelet/pods", uid ?? ""),
        // The last pod to be removed.
        `/sys/fs/cgroup/memory${containerd.cgroupParent}/kubepods/burstable/pod${uid}`,
      ].every((path) => !existsSync(path)),
    );
  });

  test("restarts a crashed container: immediately, then with a delay, and reports it", async () => {
    await run("crash", "exit 3");
    const waiting = await eventually("CrashLoopBackOff", async () => {
      const container = await containerOf("crash");
      return container?.state?.waiting?.reason === "CrashLoopBackOff" && container.restartCount >= 2
        ? container
        : undefined;
    });
    const { uid } = (await pod("crash")).metadata;
    expect(waiting.state?.waiting?.message).toMatch(
      new RegExp(`^back-off (300ms|600ms|1.2s|2s) restarting failed container=c pod=crash_default\\(${uid}\\)$`),
    );
    expect(waiting.lastState?.terminated).toMatchObject({ exitCode: 3, reason: "Error" });
    await remove("crash");
  });

  test("detects a container's death long before its next listing, and restarts it soon after", async () => {
    await run("victim", "sleep 3600");
    await eventually("victim runs", async () => (await containerOf("victim"))?.state?.running !== undefined);
    const [container] = await runtime.listContainers({ state: "running" });
    const startedMs = systemClock.monotonicMs();
    await runtime.stopContainer(container?.id ?? "", 0);
    await eventually("its restart", async () => (await containerOf("victim"))?.restartCount === 1);
    expect(systemClock.monotonicMs() - startedMs).toBeLessThan(lookEveryMs / 4);
    expect((await containerOf("victim"))?.lastState?.terminated?.exitCode).toBe(137);
    await remove("victim");
  });

  test("adopts running containers when it restarts, and no status changes", async () => {
    await run("kept", "sleep 3600", {
      containers: [{ name: "c", readinessProbe: { exec: { command: ["true"] }, periodSeconds: 1 } }],
    });
    const isReady = async () => (await containerOf("kept"))?.ready === true;
    await eventually("kept is ready", isReady);
    const before = await pod("kept");
    await running.stop();
    running = await startKubelet();
    await systemClock.sleep(2500);
    const after = await pod("kept");
    expect(after.status).toEqual(before.status);
    await running.stop();
    await client.delete(pods, { namespace: "default", name: "kept" });
    running = await startKubelet();
    await eventually("containers without a pod are removed", async () => (await runtime.listContainers()).length === 0);
  });
});
