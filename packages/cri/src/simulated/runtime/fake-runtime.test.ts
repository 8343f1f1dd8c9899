import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { beforeEach, describe, expect, test } from "vitest";
import type { ContainerConfig } from "../../messages/container.ts";
import type { RuntimeEvent } from "../../container-runtime.ts";
import { aContainerConfig, aSandboxConfig } from "../configs.ts";
import { EventHub } from "./event-hub.ts";
import { createFakeRuntime, type FakeRuntime, type FakeRuntimeOptions } from "./fake-runtime.ts";
import { MemoryLogs } from "./logs.ts";
import { ScriptedFaults } from "./scripted-faults.ts";

let clock: VirtualClock;
let logs: MemoryLogs;
let runtime: FakeRuntime;

function open(options: FakeRuntimeOptions = {}, seed = 1): FakeRuntime {
  clock = new VirtualClock({ startMs: 1_000_000 });
  logs = new MemoryLogs();
  runtime = createFakeRuntime({ clock, random: new SeededRandom(seed), logs }, options);
  return runtime;
}

beforeEach(() => void open());

/** A container in its own pod, of an image that was pulled for it. */
async function create(config: Partial<ContainerConfig> & { resources?: object }, podName = "web"): Promise<string> {
  const sandboxConfig = aSandboxConfig(podName);
  const sandboxId = await runtime.runPodSandbox(sandboxConfig);
  if (config.image !== undefined) await runtime.pullImage(config.image);
  return await runtime.createContainer({ sandboxId, sandboxConfig, config: aContainerConfig("main", "", config) });
}

async function start(config: Partial<ContainerConfig> & { resources?: object }, podName = "web"): Promise<string> {
  const id = await create(config, podName);
  await runtime.startContainer(id);
  return id;
}

describe("the behavior of a container", () => {
  const asImage = (image: string): Partial<ContainerConfig> => ({ image, command: [], args: [] });

  test.each([
    ["its command", { command: ["sh", "-c", "sleep 2; exit 3"] }, 2000, 3],
    ["a program of its command", { command: ["sleep"], args: ["5"] }, 5000, 0],
    ["its annotation", { annotations: { "kintsugi.dev/script": "sleep 4; exit 9" } }, 4000, 9],
    ["its image", asImage("script.kintsugi.dev/exit:3-after-2s"), 2000, 3],
    ["its image, immediately", asImage("script.kintsugi.dev/exit:7"), 0, 7],
    ["busybox without input", asImage("busybox"), 0, 0],
    ["its image's OOM kill", asImage("script.kintsugi.dev/oom:after-300ms"), 300, 137],
  ])("is derived from %s", async (_, config, afterMs, exitCode) => {
    const id = await start(config);
    const { startedAtMs } = await runtime.containerStatus(id);
    await clock.advance(600_000);
    expect(await runtime.containerStatus(id)).toMatchObject({
      state: "exited",
      exitCode,
      finishedAtMs: startedAtMs + afterMs,
    });
  });

  test.each([
    ["a server", asImage("nginx:1.27"), { exitCode: 0, finishedAtMs: 1_001_000 }],
    ["script.kintsugi.dev/run", asImage("script.kintsugi.dev/run"), { exitCode: 0, finishedAtMs: 1_001_000 }],
    [
      "a container that ignores signals",
      asImage("script.kintsugi.dev/stubborn"),
      { exitCode: 137, finishedAtMs: 1_031_000 },
    ],
  ])("that is %s is to run until it is stopped", async (_, config, ending) => {
    const id = await start(config);
    await clock.advance(1000);
    expect(await runtime.containerStatus(id)).toMatchObject({ state: "running" });
    const stopping = runtime.stopContainer(id, 30);
    await clock.advance(30_000);
    await stopping;
    expect(await runtime.containerStatus(id)).toMatchObject(ending);
  });

  test("is to be never ready if its image specifies it", async () => {
    const id = await start(asImage("script.kintsugi.dev/never-ready"));
    expect(await runtime.execSync(id, ["cat", "/tmp/healthy"], 1)).toMatchObject({ exitCode: 1 });
    expect(await runtime.containerStatus(id)).toMatchObject({ state: "running" });
  });

  test("can be set by the test that opens the runtime", async () => {
    open({ program: () => ({ type: "shell", source: "exit 42" }) });
    const id = await start({ command: ["sleep", "1000"] });
    await clock.settle();
    expect(await runtime.containerStatus(id)).toMatchObject({ exitCode: 42 });
  });

  test("is to fail at its creation or start if its image specifies it", async () => {
    await expect(create(asImage("script.kintsugi.dev/create-error:no-space"))).rejects.toThrow("no space");
    await expect(create(asImage("script.kintsugi.dev/unheard-of"), "other")).rejects.toThrow("there is no behaviour");
    const id = await create(asImage("script.kintsugi.dev/start-error:no-such-file"), "third");
    await expect(runtime.startContainer(id)).rejects.toThrow("no such file");
    expect(await runtime.containerStatus(id)).toMatchObject({
      state: "exited",
      exitCode: 128,
      reason: "StartError",
      startedAtMs: 0,
      message: "no such file",
    });
  });

  test("of the liveness probe's manifest is the same as on a node", async () => {
    const script = "touch /tmp/healthy; sleep 30; rm -f /tmp/healthy; sleep 600";
    const id = await start({ command: ["sh", "-c", script] });
    const probe = async () => (await runtime.execSync(id, ["cat", "/tmp/healthy"], 1)).exitCode;
    await clock.advance(29_000);
    expect(await probe()).toBe(0);
    await clock.advance(1000);
    expect(await probe()).toBe(1);
  });

  test("with an invalid script is to end with 2 and to report it in its log", async () => {
    const id = await start({ command: ["sh", "-c", "echo $HOSTNAME"] });
    await clock.settle();
    expect(await runtime.containerStatus(id)).toMatchObject({ exitCode: 2 });
    expect(logs.read("/var/log/pods/default_web_uid-of-web/main/0.log")).toMatch(/stderr F sh: syntax error/);
  });
});

describe("pulls", () => {
  test.each([
    ["script.kintsugi.dev/pull-error:toomanyrequests", /toomanyrequests/],
    ["registry.invalid/app:1", /no such host/],
  ])("of %s fail", async (reference, message) => {
    await expect(runtime.pullImage(reference)).rejects.toThrow(message);
    expect(await runtime.imageStatus(reference)).toBeUndefined();
  });

  test("take the time that the image's name states, or end with the signal", async () => {
    const controller = new AbortController();
    let pulled: string | undefined;
    void runtime.pullImage("script.kintsugi.dev/pull-after:10s").then((reference) => (pulled = reference));
    const cancelled = runtime.pullImage("script.kintsugi.dev/pull-after:10m", {}, controller.signal);
    cancelled.catch(() => {});
    await clock.advance(9999);
    expect(pulled).toBeUndefined();
    await clock.advance(1);
    expect(pulled).toMatch(/^sha256:/);
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ reason: "cancelled" });
  });

  test("resolve tags of one repository to one image and return its ID", async () => {
    const id = await runtime.pullImage("nginx");
    expect(await runtime.pullImage("docker.io/library/nginx:1.27")).toBe(id);
    expect(await runtime.imageStatus("nginx:1.27")).toMatchObject({
      id,
      repoTags: ["docker.io/library/nginx:latest", "docker.io/library/nginx:1.27"],
      repoDigests: [expect.stringMatching(/^docker\.io\/library\/nginx@sha256:[0-9a-f]{64}$/)],
    });
    await runtime.removeImage("nginx");
    expect(await runtime.imageStatus("nginx:1.27")).toBeUndefined();
  });

  test("of scripts differ by tag: each runs its own script", async () => {
    const id = await runtime.pullImage("script.kintsugi.dev/exit:0-after-1s");
    expect(await runtime.pullImage("script.kintsugi.dev/exit:42-after-5s")).not.toBe(id);
  });

  test("can be planned by the test", async () => {
    runtime.images.planPull = (name) => (name.includes("private") ? { error: "401 Unauthorized" } : {});
    await expect(runtime.pullImage("quay.io/private/app:1")).rejects.toThrow("401 Unauthorized");
    await runtime.pullImage("quay.io/public/app:1");
  });
});

describe("handles for tests", () => {
  test("end a container, OOM-kill it, or kill its sandbox", async () => {
    const seen: RuntimeEvent[] = [];
    const controller = new AbortController();
    const following = (async () => {
      for await (const event of runtime.events(controller.signal)) seen.push(event);
    })();
    const [one, two] = [await start({ command: ["sleep", "1000"] }), await start({ command: ["sleep", "1000"] }, "b")];
    const [sandbox] = await runtime.listPodSandboxes();
    runtime.exitContainer(one, { exitCode: 5, reason: "Error", message: "because" });
    runtime.oomKillContainer(two);
    runtime.killSandbox(sandbox?.id ?? "");
    await clock.settle();
    expect(await runtime.containerStatus(one)).toMatchObject({ exitCode: 5, message: "because" });
    expect(await runtime.containerStatus(two)).toMatchObject({ exitCode: 137, reason: "OOMKilled" });
    expect(await runtime.podSandboxStatus(sandbox?.id ?? "")).toMatchObject({ ready: false });
    expect(seen.slice(-4).map((event) => [event.type, "containerId" in event && event.containerId])).toEqual([
      ["stopped", one],
      ["oom", two],
      ["stopped", two],
      ["stopped", sandbox?.id],
    ]);
    controller.abort();
    await following;
  });

  test("stop and restart the runtime with its containers still running", async () => {
    const id = await start({ command: ["sleep", "1000"] });
    const stream = runtime.events(new AbortController().signal)[Symbol.asyncIterator]();
    await stream.next();
    runtime.setAvailable(false);
    expect(await stream.next()).toMatchObject({ done: true });
    await expect(runtime.listContainers()).rejects.toMatchObject({ reason: "unavailable" });
    await expect(runtime.events(new AbortController().signal)[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      reason: "unavailable",
    });
    await clock.advance(30_000);
    runtime.setAvailable(true);
    expect(await runtime.containerStatus(id)).toMatchObject({ state: "running" });
  });

  test("record the calls", async () => {
    await runtime.listContainers({ state: "running" });
    await clock.advance(5);
    await runtime.version();
    expect(runtime.calls).toEqual([
      { name: "listContainers", args: [{ state: "running" }], atMs: 1_000_000 },
      { name: "version", args: [], atMs: 1_000_005 },
    ]);
    expect(runtime.callsOf("version")).toHaveLength(1);
  });
});

describe("faults", () => {
  test("delay, refuse and lose calls as planned, and then stop", async () => {
    const plan = new ScriptedFaults(new VirtualClock());
    open({ faults: plan });
    plan.refuse("version", { times: 2, reason: "failed", message: "no" });
    await expect(runtime.version()).rejects.toThrow("no");
    await expect(runtime.version()).rejects.toThrow("no");
    await runtime.version();
    plan.loseAnswer("runPodSandbox", { times: 1 });
    await expect(runtime.runPodSandbox(aSandboxConfig("a"))).rejects.toMatchObject({ reason: "unavailable" });
    expect(await runtime.listPodSandboxes()).toHaveLength(1);
  });

  /** A call that reaches the runtime half a second late. */
  const delayedCall = () => {
    open();
    const plan = new ScriptedFaults(clock);
    const delayed = createFakeRuntime({ clock, random: new SeededRandom(1) }, { faults: plan });
    plan.delay("version", 500);
    const call: { answeredMs?: number } = {};
    void delayed.version().then(() => (call.answeredMs = clock.nowMs()));
    return { plan, call };
  };

  test("delay a call in virtual time", async () => {
    const { call } = delayedCall();
    await clock.advance(1000);
    expect(call.answeredMs).toBe(1_000_500);
  });

  test("delay a call only until no more faults are planned", async () => {
    const { plan, call } = delayedCall();
    await clock.advance(100);
    plan.clear();
    await clock.advance(1000);
    expect(call.answeredMs).toBe(1_000_100);
    expect(clock.pendingTimers()).toBe(0);
  });

  test("that hang a call end it at its time limit without effect, or let it work when it is released", async () => {
    open();
    const plan = new ScriptedFaults(clock);
    const hanging = createFakeRuntime({ clock, random: new SeededRandom(1) }, { faults: plan, callTimeoutMs: 1000 });
    plan.hang("runPodSandbox");
    const late = hanging.runPodSandbox(aSandboxConfig("late"));
    late.catch(() => {});
    await clock.advance(2000);
    await expect(late).rejects.toMatchObject({ reason: "deadlineExceeded" });
    const held = hanging.runPodSandbox(aSandboxConfig("held"));
    await clock.advance(10);
    plan.clear();
    await held;
    expect((await hanging.listPodSandboxes()).map(({ metadata }) => metadata.name)).toEqual(["held"]);
  });

  test("lose events", async () => {
    open({ faults: { deliver: (event) => event.type !== "started" } });
    const controller = new AbortController();
    const seen: string[] = [];
    const following = (async () => {
      for await (const event of runtime.events(controller.signal)) seen.push(event.type);
    })();
    await clock.settle();
    await start({ command: ["true"] });
    await clock.settle();
    controller.abort();
    await following;
    expect(seen).toEqual(["connected", "created", "created", "stopped"]);
  });
});

test("addresses are assigned in turn, rest before their reuse, and run out", async () => {
  open({ podCidr: "10.9.8.0/29" });
  const pods = await Promise.all(["a", "b", "c", "d", "e"].map((name) => runtime.runPodSandbox(aSandboxConfig(name))));
  const ip = async (id = "") => (await runtime.podSandboxStatus(id)).ip;
  expect(await Promise.all(pods.map(ip))).toEqual(["10.9.8.2", "10.9.8.3", "10.9.8.4", "10.9.8.5", "10.9.8.6"]);
  await expect(runtime.runPodSandbox(aSandboxConfig("f"))).rejects.toThrow(/no IP addresses available/);
  await runtime.removePodSandbox(pods[1] ?? "");
  await runtime.removePodSandbox(pods[3] ?? "");
  expect(await ip(await runtime.runPodSandbox(aSandboxConfig("g")))).toBe("10.9.8.3");
  expect(await ip(await runtime.runPodSandbox(aSandboxConfig("h")))).toBe("10.9.8.5");
});

test("a subscriber that never reads is disconnected instead of filling the memory", async () => {
  const hub = new EventHub();
  const stream = hub.subscribe(new AbortController().signal);
  await stream.next();
  for (let i = 0; i <= 10_000; i++) hub.publish({ type: "started", containerId: `c${i}`, atMs: i });
  expect(await stream.next()).toMatchObject({ done: true });
});

test("the same seed gives the same IDs, and another seed gives other IDs", async () => {
  const idOf = async (seed: number) => {
    open({}, seed);
    return await runtime.runPodSandbox(aSandboxConfig("web"));
  };
  expect(await idOf(3)).toBe(await idOf(3));
  expect(await idOf(3)).not.toBe(await idOf(4));
});

test("a witness immediately receives every event of containers, even while the runtime does not respond", async () => {
  const heard: string[] = [];
  const stop = runtime.witness(({ type, container, sandboxReady }) =>
    heard.push(`${type} ${container.metadata.name}${sandboxReady ? "" : ", its sandbox is dead"}`),
  );
  const lasting = { command: ["sleep", "600"] };
  const id = await start(lasting);
  const [sandbox] = await runtime.listPodSandboxes();
  await runtime.stopContainer(id, 0);
  await runtime.stopContainer(id, 0);
  const other = await start(lasting, "other");
  runtime.setAvailable(false);
  runtime.exitContainer(other, { exitCode: 1 });
  runtime.setAvailable(true);
  await runtime.removePodSandbox(sandbox?.id ?? "");
  stop();
  runtime.powerOff();
  expect(heard).toEqual([
    "created main",
    "started main",
    "stopping main",
    "stopped main",
    "created main",
    "started main",
    "stopped main",
    "deleted main, its sandbox is dead",
  ]);
});
