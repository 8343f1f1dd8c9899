// Tests the behavior of a kubelet on cgroup v2, with a real kubelet and containerd on a machine
// that has it. Runs in the machine that `npm run test:machine` starts, as one bundled file. It uses
// Node's own test runner, because other packages are not available there. Exits with the runner's
// exit code.
import { strict as assert } from "node:assert";
import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Container, type Pod, nodes, pods } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { type ContainerRuntime, createCriRuntime } from "@kintsugi/cri";
import { kubeletDefaults } from "@kintsugi/kubelet/factory";
import { type PrivateContainerd, startPrivateContainerd } from "@kintsugi/lab";
import { boundPod } from "../support/node/bound-pod.ts";
import { createKubeletOnContainerd, createNodeClient } from "../support/node/kubelet-on-containerd.ts";
import { eventually } from "../support/run-program.ts";

const deps = { clock: systemClock, random: systemRandom };
const mebibyte = 1024 * 1024;
const capacityBytes = 700 * mebibyte;
const reservedBytes = 64 * mebibyte;
const memoryDirectory = "/dev/shm/kintsugi-kubelet-test";
/** An emulated machine is slow: a pod needs seconds. */
const waitMs = 240_000;

const client = createNodeClient();
const stop = new AbortController();
let containerd: PrivateContainerd;
let runtime: ContainerRuntime;
let kubelet: Awaited<ReturnType<typeof createKubeletOnContainerd>>;
let ended: Promise<void>;
/**
 * The node is a cgroup: with a limit its memory ends there, independent of the machine's memory.
 */
let nodeCgroup: string;

before(async () => {
  assert.ok(existsSync("/sys/fs/cgroup/cgroup.controllers"), "this machine has cgroup v2");
  containerd = await startPrivateContainerd(deps, { directory: "/tmp/km", name: "machine", podCidr: "10.199.9.0/24" });
  nodeCgroup = join(containerd.cgroupParent, "..");
  await writeCgroup(nodeCgroup, "memory.max", capacityBytes);
  runtime = createCriRuntime(deps, { endpoint: containerd.endpoint });
  const memory = { signal: "memory.available", value: { amount: 200 * mebibyte }, gracePeriodMs: 0 } as const;
  kubelet = await createKubeletOnContainerd({ client, runtime, containerd }, memoryDirectory, {
    cgroupRoot: nodeCgroup,
    reserved: { ...kubeletDefaults.reserved, memoryBytes: reservedBytes },
    podCgroups: { enforceNodeAllocatable: true, podPidsMax: 200 },
    eviction: {
      ...kubeletDefaults.eviction,
      thresholds: [{ ...memory, minReclaim: undefined }],
      monitoringPeriodMs: 1000,
      pressureTransitionPeriodMs: 1000,
    },
  });
  ended = kubelet.run(stop.signal).catch(() => {});
});

after(async () => {
  stop.abort();
  await ended;
  runtime?.close();
  await client.close();
  await containerd?.[Symbol.asyncDispose]();
  await rm(memoryDirectory, { recursive: true, force: true });
});

void test("a node's capacity is the limit of its cgroup, and all pods together leave the reserved resources free", async () => {
  const node = await until("the node", () => client.find(nodes, { namespace: "", name: "node-1" }));
  assert.equal(node.status?.capacity?.["memory"], `${capacityBytes / mebibyte}Mi`);
  await until("the limit of all pods", async () => {
    const limit = await readCgroup(join(nodeCgroup, "kubepods"), "memory.max");
    return limit === String(capacityBytes - reservedBytes);
  });
});

void test("requests and limits become weights, quotas and limits of the pod's cgroup, of its class and of the container", async () => {
  const resources = { requests: { cpu: "100m", memory: "32Mi" }, limits: { cpu: "200m", memory: "64Mi" } };
  await run("bounded", "sleep 1d", { resources });
  await run("asks-nothing", "sleep 1d");
  const [bounded, asksNothing] = [await started("bounded"), await started("asks-nothing")];
  // cpu.weight of 1 to 10000 represents shares of 2 to 262144: 102 shares are 4.
  const wanted = { "cpu.weight": "4", "cpu.max": "20000 100000", "memory.max": String(64 * mebibyte) };
  assert.deepEqual(await readAll(podCgroup(bounded, "burstable"), [...Object.keys(wanted), "pids.max"]), {
    ...wanted,
    "pids.max": "200",
  });
  assert.deepEqual(await readAll(containerCgroup(bounded), Object.keys(wanted)), wanted);
  assert.equal(await readCgroup(join(nodeCgroup, "kubepods/burstable"), "cpu.weight"), "4");
  const unbounded = { "cpu.weight": "1", "cpu.max": "max 100000", "memory.max": "max" };
  assert.deepEqual(await readAll(podCgroup(asksNothing, "besteffort"), Object.keys(unbounded)), unbounded);
  assert.equal(await readCgroup(join(nodeCgroup, "kubepods/besteffort"), "cpu.weight"), "1");
});

void test("the usage of the node, its pods and their containers is reported", async () => {
  await run("busy", "while true; do :; done", { resources: { limits: { cpu: "200m", memory: "32Mi" } } });
  await started("busy");
  const busy = await until("its use of the processor", async () => {
    const summary = await kubelet.stats.summary();
    const pod = summary.pods?.find(({ podRef }) => podRef.name === "busy");
    return (pod?.cpu?.usageNanoCores ?? 0) > 0 ? { pod, node: summary.node } : undefined;
  });
  const nanoCores = busy.pod?.cpu?.usageNanoCores ?? 0;
  assert.ok(nanoCores > 50e6 && nanoCores < 400e6, `a pod that may use 200m uses ${nanoCores / 1e6}m`);
  const workingSetBytes = busy.pod?.containers?.[0]?.memory?.workingSetBytes ?? 0;
  assert.ok(workingSetBytes > 0 && workingSetBytes < 32 * mebibyte, `its container uses ${workingSetBytes} bytes`);
  const availableBytes = busy.node.memory?.availableBytes ?? 0;
  assert.ok(availableBytes > 0 && availableBytes < capacityBytes, `the node has ${availableBytes} bytes left`);
  await remove("busy");
});

void test("a container is resized in place: its pod's limits and its own limits change, and it continues", async () => {
  const [before, beforePod] = [await status("bounded"), await get("bounded")];
  const [container] = beforePod.spec?.containers ?? [];
  const resources = { requests: { cpu: "200m", memory: "48Mi" }, limits: { cpu: "400m", memory: "96Mi" } };
  await client.update(pods, {
    ...beforePod,
    spec: { ...beforePod.spec, containers: [{ ...(container as Container), resources }] },
  });
  // 204 shares are a weight of 8.
  const wanted = { "cpu.weight": "8", "cpu.max": "40000 100000", "memory.max": String(96 * mebibyte) };
  for (const cgroup of [podCgroup(beforePod, "burstable"), containerCgroup(beforePod)]) {
    await until(`${cgroup} is resized`, async () => {
      const now = await readAll(cgroup, Object.keys(wanted));
      return JSON.stringify(now) === JSON.stringify(wanted);
    });
  }
  const given = await until("the status", async () => {
    const now = await status("bounded");
    return now?.resources?.limits?.["memory"] === "96Mi" ? now : undefined;
  });
  assert.equal(given.containerID, before?.containerID);
  assert.equal(given.restartCount, 0);
});

void test("a container whose child process exceeds its memory limit is killed as a whole", async () => {
  await run("parent", "sleep 1; tail /dev/zero & wait; sleep 3600", { resources: { limits: { memory: "32Mi" } } });
  const pod = await started("parent");
  assert.equal(await readCgroup(containerCgroup(pod), "memory.oom.group"), "1");
  const killed = await until("its end", async () => (await status("parent"))?.lastState?.terminated);
  assert.equal(killed.reason, "OOMKilled");
  assert.equal(killed.exitCode, 137);
  await remove("parent");
});

void test("a node that runs out of memory evicts the pod with the most usage beyond its requests, and recovers", async () => {
  const mounted: Partial<Container> = { volumeMounts: [{ name: "memory", mountPath: "/memory" }] };
  const script =
    "until test -e /memory/go; do sleep 0.2; done; dd if=/dev/zero of=/memory/file bs=1M count=120; sleep 1d";
  await run("glutton", script, mounted, [{ name: "memory", emptyDir: { medium: "Memory" } }]);
  const pod = await started("glutton");
  const stat = await readCgroup(nodeCgroup, "memory.stat");
  const inactiveBytes = Number(/^inactive_file (\d+)/m.exec(stat)?.[1] ?? 0);
  const usedBytes = Number(await readCgroup(nodeCgroup, "memory.current")) - inactiveBytes;
  await writeCgroup(nodeCgroup, "memory.max", usedBytes + 290 * mebibyte);
  const directory = join(containerd.directory, "kubelet/pods", pod.metadata.uid ?? "", "volumes");
  await writeFile(join(directory, "kubernetes.io~empty-dir/memory/go"), "");
  const evicted = await until("the glutton is evicted", async () => {
    const now = await get("glutton");
    return now.status?.phase === "Failed" ? now : undefined;
  });
  assert.equal(evicted.status?.reason, "Evicted");
  assert.match(evicted.status?.message ?? "", /^The node was low on resource: memory\. Threshold quantity: 200Mi/);
  await until("pressure is over", async () => {
    const node = await client.get(nodes, { namespace: "", name: "node-1" });
    return node.status?.conditions?.some((each) => each.type === "MemoryPressure" && each.status === "False");
  });
  assert.ok((await status("bounded"))?.state?.running, "who stays within its requests is left alone");
});

void test("cgroups are removed with their pods", async () => {
  const pod = await get("bounded");
  await remove("bounded");
  await until("it is gone", async () => !existsSync(join("/sys/fs/cgroup", podCgroup(pod, "burstable"))));
});

function until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  return eventually(what, look, waitMs);
}

async function run(
  name: string,
  script: string,
  container: Partial<Container> = {},
  volumes: NonNullable<Pod["spec"]>["volumes"] = [],
): Promise<void> {
  const containers = [{ name: "c", ...container }];
  await client.create(pods, boundPod(name, script, { volumes, containers }));
}

const get = (name: string) => client.get(pods, { namespace: "default", name });
const status = async (name: string) => (await get(name)).status?.containerStatuses?.[0];

function started(name: string): Promise<Pod> {
  return until(`${name} runs`, async () => {
    const pod = await get(name);
    return pod.status?.containerStatuses?.[0]?.state?.running ? pod : undefined;
  });
}

async function remove(name: string): Promise<void> {
  const current = await get(name);
  const metadata = { ...current.metadata, deletionTimestamp: "2030-01-01T00:00:00Z", deletionGracePeriodSeconds: 1 };
  await client.update(pods, { ...current, metadata });
  await until(`${name} is gone`, async () => (await client.find(pods, { namespace: "default", name })) === undefined);
}

function podCgroup({ metadata }: Pod, qosClass: "burstable" | "besteffort"): string {
  return join(nodeCgroup, "kubepods", qosClass, `pod${metadata.uid}`);
}

/** The cgroup of the container of a Burstable pod. */
function containerCgroup(pod: Pod): string {
  const id = pod.status?.containerStatuses?.[0]?.containerID?.replace(/^.*:\/\//, "");
  return join(podCgroup(pod, "burstable"), id ?? "");
}

async function readCgroup(cgroup: string, file: string): Promise<string> {
  return (await readFile(join("/sys/fs/cgroup", cgroup, file), "utf8")).trim();
}

async function readAll(cgroup: string, files: readonly string[]): Promise<Record<string, string>> {
  return Object.fromEntries(await Promise.all(files.map(async (file) => [file, await readCgroup(cgroup, file)])));
}

function writeCgroup(cgroup: string, file: string, value: number): Promise<void> {
  return writeFile(join("/sys/fs/cgroup", cgroup, file), String(value));
}
