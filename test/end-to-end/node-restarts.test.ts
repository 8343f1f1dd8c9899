import { rm } from "node:fs/promises";
import { events, pods, type PodSpec } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { type ContainerRuntime, createCriRuntime } from "@kintsugi/cri";
import { type CallName, ScriptedFaults, startCriProxy } from "@kintsugi/cri/testing";
import { type PrivateContainerd, startPrivateContainerd } from "@kintsugi/lab";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoClusters } from "../support/host-abilities.ts";
import { createKubeletOnContainerd, createNodeClient } from "../support/kubelet-on-containerd.ts";
import { eventually, runProgram } from "../support/run-program.ts";

const deps = { clock: systemClock, random: systemRandom };
const memoryDirectory = `/dev/shm/kintsugi-restarts-test-${process.pid}`;

// Everything on a node that can die or misbehave, on a real containerd behind a proxy: what is not hit must not notice.

describe.skipIf(sayWhyNot("what dies on a real node", whyNoClusters()))("a real node", () => {
  let containerd: PrivateContainerd;
  /** The kubelet's way to the runtime. */
  let runtime: ContainerRuntime;
  /** Past everything that goes wrong. */
  let direct: ContainerRuntime;
  let proxy: Awaited<ReturnType<typeof startCriProxy>>;
  const faults = new ScriptedFaults(systemClock);
  const stop = new AbortController();
  const client = createNodeClient();
  let ended: Promise<void>;

  beforeAll(async () => {
    containerd = await startPrivateContainerd(deps, {
      directory: `/tmp/kr-${process.pid}`,
      name: `restarts-${process.pid}`,
      podCidr: "10.199.6.0/24",
    });
    const socketPath = `${containerd.directory}/proxy.sock`;
    proxy = await startCriProxy(deps, { upstreamEndpoint: containerd.endpoint, socketPath, faults });
    runtime = createCriRuntime(deps, { endpoint: proxy.endpoint });
    direct = createCriRuntime(deps, { endpoint: containerd.endpoint });
    const kubelet = await createKubeletOnContainerd({ client, runtime, containerd }, memoryDirectory, {
      restartBackoff: { initialMs: 300, maxMs: 2000, resetMs: 60_000, floorMs: 300 },
      workers: { resyncIntervalMs: 2000, errorBackoffMs: 300 },
    });
    ended = kubelet.run(stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
    await create("steady", "exec sleep 3600");
    await runs("steady");
  });
  afterAll(async () => {
    faults.clear();
    stop.abort(new Error("stopped"));
    await ended;
    runtime?.close();
    direct?.close();
    await proxy?.close();
    await containerd?.[Symbol.asyncDispose]();
    await rm(memoryDirectory, { recursive: true, force: true });
  });

  async function create(name: string, command: string, more: Partial<PodSpec> = {}, escalation?: string) {
    const annotations = escalation === undefined ? {} : { annotations: { "kintsugi.dev/escalation": escalation } };
    const { containers, ...rest } = more;
    await client.create(pods, {
      metadata: { name, namespace: "default", uid: systemRandom.uuid(), ...annotations },
      spec: {
        nodeName: "node-1",
        restartPolicy: "Always",
        terminationGracePeriodSeconds: 1,
        ...rest,
        containers: [{ name: "c", image: "busybox", command: ["sh", "-c", command], ...containers?.[0] }],
      },
      status: { phase: "Pending" },
    });
  }
  const containerOf = async (name: string) =>
    (await client.get(pods, { namespace: "default", name })).status?.containerStatuses?.[0];
  const runs = (name: string, restarts = 0) =>
    eventually(`${name} runs after ${restarts} restarts`, async () => {
      const container = await containerOf(name);
      return container?.state?.running && container.restartCount === restarts ? container : undefined;
    });
  async function remove(name: string): Promise<void> {
    const current = await client.get(pods, { namespace: "default", name });
    const metadata = { ...current.metadata, deletionTimestamp: "2030-01-01T00:00:00Z", deletionGracePeriodSeconds: 1 };
    await client.update(pods, { ...current, metadata });
    const find = () => client.find(pods, { namespace: "default", name });
    await eventually(`${name} is gone`, async () => (await find()) === undefined);
  }
  const sandboxOf = async (name: string) =>
    (await direct.listPodSandboxes({ ready: true })).find(({ metadata }) => metadata.name === name)?.id ?? "";
  const processOf = async (id: string) => {
    const address = containerd.endpoint.replace("unix://", "");
    const { stdout } = await runProgram("ctr", ["--address", address, "--namespace", "k8s.io", "tasks", "list"]);
    return Number(new RegExp(`^${id}\\s+(\\d+)`, "m").exec(stdout)?.[1]);
  };
  /** No pod has two containers or two sandboxes, and the neighbour is who it was. */
  async function expectOrder(steady: string | undefined): Promise<void> {
    const running = (await direct.listContainers({ state: "running" })).map(({ sandboxId }) => sandboxId);
    expect(new Set(running).size).toBe(running.length);
    const owners = (await direct.listPodSandboxes({ ready: true })).map(({ metadata }) => metadata.uid);
    expect(new Set(owners).size).toBe(owners.length);
    expect(await containerOf("steady")).toMatchObject({ containerID: steady, restartCount: 0, state: { running: {} } });
  }

  test("whose containerd crashes and comes back keeps its containers, and learns what it has missed", async () => {
    const steady = (await containerOf("steady"))?.containerID;
    await create("victim", "exec sleep 3600");
    const { containerID = "" } = await runs("victim");
    const victim = await processOf(containerID.replace("containerd://", ""));
    await containerd.crash();
    process.kill(victim, "SIGKILL");
    await systemClock.sleep(1500);
    await containerd.start();
    await runs("victim", 1);
    expect((await containerOf("victim"))?.lastState?.terminated?.exitCode).toBe(137);
    await expectOrder(steady);
    await remove("victim");
  });

  test("on which a pod's sandbox process, or its shim, is killed makes that pod a new sandbox, once", async () => {
    const steady = (await containerOf("steady"))?.containerID;
    await create("hit", "exec sleep 3600");
    await runs("hit");
    const first = await sandboxOf("hit");
    process.kill(await processOf(first), "SIGKILL");
    await runs("hit", 1);
    const second = await sandboxOf("hit");
    expect(second).not.toBe(first);
    await expectOrder(steady);

    const { stdout } = await runProgram("pgrep", ["-f", `containerd-shim.*${second}`]);
    for (const pid of stdout.trim().split("\n")) process.kill(Number(pid), "SIGKILL");
    await runs("hit", 2);
    expect(await sandboxOf("hit")).not.toBe(second);
    await expectOrder(steady);
    await remove("hit");
  });

  test("whose runtime fails each call, or loses its answer, starts a pod, restarts it and removes it all the same", async () => {
    const steady = (await containerOf("steady"))?.containerID;
    const calls: CallName[] = [
      "runPodSandbox",
      "createContainer",
      "startContainer",
      "stopPodSandbox",
      "removeContainer",
    ];
    for (const way of ["refuse", "loseAnswer"] as const) {
      for (const call of [...calls, "listContainers", "containerStatus"] as const) faults[way](call, { times: 1 });
      const name = way === "refuse" ? "refused" : "unanswered";
      await create(name, "exec sleep 3600");
      const container = await eventually(`${name} runs`, async () => {
        const now = await containerOf(name);
        return now?.state?.running ? now : undefined;
      });
      await expectOrder(steady);
      process.kill(await processOf(container.containerID?.replace("containerd://", "") ?? ""), "SIGKILL");
      await runs(name, container.restartCount + 1);
      await remove(name);
      faults.clear();
    }
    await eventually("nothing is left", async () => (await direct.listPodSandboxes()).length === 1);
    await expectOrder(steady);
  });

  test("restarts a pod with everything new where restarting its container does not help", async () => {
    const lock = "test -e /scratch/lock && exit 1; touch /scratch/lock; exec sleep 3600";
    const spec = {
      volumes: [{ name: "scratch", emptyDir: {} }],
      containers: [{ name: "c", volumeMounts: [{ name: "scratch", mountPath: "/scratch" }] }],
    };
    await create("locked", lock, spec, "containerRestarts=1,podRestarts=2");
    const { containerID = "" } = await runs("locked");
    const first = await sandboxOf("locked");
    process.kill(await processOf(containerID.replace("containerd://", "")), "SIGKILL");
    // The first restart finds the lock that the killed one has left; the second is of the whole pod, and finds an empty volume.
    await runs("locked", 2);
    expect(await sandboxOf("locked")).not.toBe(first);
    const { items } = await client.list(events, { namespace: "default" });
    expect(items.map(({ reason, message }) => `${reason}: ${message}`)).toContainEqual(
      expect.stringContaining("Escalating: Container c failed 1 restart in a row, so the whole pod is restarted"),
    );
    await remove("locked");
  });
});
