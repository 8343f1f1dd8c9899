import { mkdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { type ContainerRuntime, type ContainerStatus, createCriRuntime, type RuntimeEvent } from "@kintsugi/cri";
import { aContainerConfig, aSandboxConfig, ScriptedFaults, startCriProxy } from "@kintsugi/cri/testing";
import { describeRuntimeContract, type RuntimeContractSubject } from "@kintsugi/cri/testing/contract";
import { findPrivateContainerdRemains, type PrivateContainerd, startPrivateContainerd } from "@kintsugi/lab";
import { describe, expect, test } from "vitest";
import { sayWhyNot, whyNoClusters } from "../support/host-abilities.ts";

const deps = { clock: systemClock, random: systemRandom };

describe.skipIf(sayWhyNot("a real containerd", whyNoClusters()))("containerd", () => {
  describeRuntimeContract("containerd through the adapter", async () => {
    const containerd = await startContainerd();
    return subjectFor(containerd, containerd.endpoint, async () => await containerd[Symbol.asyncDispose]());
  });

  describeRuntimeContract("containerd through a CRI proxy", async () => {
    const containerd = await startContainerd();
    const proxy = await startCriProxy(deps, {
      upstreamEndpoint: containerd.endpoint,
      socketPath: join(containerd.directory, "proxy.sock"),
      faults: new ScriptedFaults(systemClock),
    });
    return subjectFor(containerd, proxy.endpoint, async () => {
      await proxy.close();
      await containerd[Symbol.asyncDispose]();
    });
  });

  test("that crashes takes no container with it, and all of them can still be stopped and removed afterwards", async () => {
    await using containerd = await startContainerd();
    const runtime = createCriRuntime(deps, { endpoint: containerd.endpoint });
    const controller = new AbortController();
    const events: RuntimeEvent[] = [];
    const following = collect(runtime.events(controller.signal), events);
    const [ready, stopped] = await Promise.all(
      ["ready", "stopped"].map((name) => startPodInThreeStates(runtime, containerd, name)),
    );
    expect.assert(ready && stopped);
    await runtime.stopPodSandbox(stopped.sandboxId);
    const before = await observe(runtime);
    expect(before.map(({ state }) => state).sort()).toEqual([
      "created",
      "created",
      "exited",
      "exited",
      "exited",
      "running",
    ]);

    await containerd.crash();
    await following;
    expect(events[0]).toEqual({ type: "connected" });
    await expect(runtime.version()).rejects.toMatchObject({ reason: "unavailable" });
    await containerd.start();

    // The same client finds its way back, and a new stream stands again.
    const after = await waitFor(() => observe(runtime).catch(() => undefined));
    expect(after).toEqual(before);
    const eventsAfter: RuntimeEvent[] = [];
    const followingAfter = collect(runtime.events(controller.signal), eventsAfter);
    await waitFor(async () => eventsAfter[0]);
    await runtime.stopContainer(ready.running, 0);
    await waitFor(async () =>
      eventsAfter.find((event) => event.type === "stopped" && event.containerId === ready.running),
    );
    for (const { sandboxId } of [ready, stopped]) await runtime.removePodSandbox(sandboxId);
    expect([await runtime.listContainers(), await runtime.listPodSandboxes()]).toEqual([[], []]);
    controller.abort();
    await followingAfter;
    runtime.close();
  });

  test("leaves nothing behind when it is disposed of in the middle of its work", async () => {
    const containerd = await startContainerd();
    const runtime = createCriRuntime(deps, { endpoint: containerd.endpoint });
    await startPodInThreeStates(runtime, containerd, "left");
    expect(await findPrivateContainerdRemains(containerd)).not.toEqual([]);
    await containerd[Symbol.asyncDispose]();
    runtime.close();
    expect(await findPrivateContainerdRemains(containerd)).toEqual([]);
  });
});

interface PodInThreeStates {
  sandboxId: string;
  running: string;
}

/** A pod with a created, a running and an exited container. */
async function startPodInThreeStates(
  runtime: ContainerRuntime,
  containerd: PrivateContainerd,
  name: string,
): Promise<PodInThreeStates> {
  const base = aSandboxConfig(name, { logDirectory: join(containerd.directory, "logs") });
  const sandboxConfig = { ...base, linux: { ...base.linux, cgroupParent: containerd.cgroupParent } };
  const sandboxId = await runtime.runPodSandbox(sandboxConfig);
  const create = (container: string, script: string) =>
    runtime.createContainer({ sandboxId, sandboxConfig, config: aContainerConfig(container, script, { logPath: "" }) });
  await create("created", "true");
  const [running, exited] = [await create("running", "sleep 1000"), await create("exited", "exit 5")];
  await runtime.startContainer(running);
  await runtime.startContainer(exited);
  await waitFor(async () => (await runtime.containerStatus(exited)).state === "exited" || undefined);
  return { sandboxId, running };
}

/** All that must survive a restart of the runtime. */
async function observe(runtime: ContainerRuntime): Promise<ContainerStatus[]> {
  const containers = await runtime.listContainers();
  const statuses = await Promise.all(containers.map(({ id }) => runtime.containerStatus(id)));
  return statuses.sort((a, b) => a.id.localeCompare(b.id));
}

async function collect(events: AsyncIterable<RuntimeEvent>, into: RuntimeEvent[]): Promise<void> {
  for await (const event of events) into.push(event);
}

async function waitFor<T>(ask: () => Promise<T | undefined>): Promise<T> {
  const deadlineMs = systemClock.monotonicMs() + 20_000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (systemClock.monotonicMs() > deadlineMs) throw new Error("nothing came within 20 s");
    await systemClock.sleep(20);
  }
}

async function startContainerd(): Promise<PrivateContainerd> {
  const name = systemRandom.uuid().slice(0, 8);
  return await startPrivateContainerd(deps, {
    name,
    directory: `/run/kintsugi-test-${name}`,
    podCidr: "10.231.0.0/24",
  });
}

function subjectFor(
  containerd: PrivateContainerd,
  endpoint: string,
  dispose: () => Promise<void>,
): RuntimeContractSubject {
  const reconnect = () => createCriRuntime(deps, { endpoint });
  const runtime = reconnect();
  return {
    runtime,
    reconnect,
    pass: (durationMs) => systemClock.sleep(durationMs),
    cgroupParent: containerd.cgroupParent,
    logRoot: join(containerd.directory, "logs"),
    makeLogDirectory: async (path) => void (await mkdir(path, { recursive: true })),
    readLog: (path) => readFile(path, "utf8").catch(() => ""),
    renameLog: rename,
    tellsOomKills: true,
    [Symbol.asyncDispose]: async () => {
      runtime.close();
      await dispose();
    },
  };
}
