import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoKubectlCluster } from "../../support/host-abilities.ts";
import { type KubernetesObject, type LabCluster, startLabCluster } from "../../support/lab-cluster.ts";
import { eventually } from "../../support/run-program.ts";

const lacking = whyNoKubectlCluster();

const isCgroupV2 = existsSync("/sys/fs/cgroup/cgroup.controllers");

interface DebuggedPod extends KubernetesObject {
  status: KubernetesObject["status"] & {
    ephemeralContainerStatuses?: { state: { terminated?: { finishedAt: string } } }[];
  };
}

interface PodMetrics extends KubernetesObject {
  timestamp: string;
  containers: { name: string }[];
}

/** A pod with one container that runs a script; `extra` is added to its spec. */
function podManifest(name: string, script: string, extra: object = {}, container: object = {}): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: name } },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [{ name: "main", image: "busybox:1", command: ["sh", "-c", script], ...container }],
      ...extra,
    },
  });
}

/** Rows of a kubectl table, by their first column, without the header. */
function rows(table: string): Map<string, string[]> {
  const lines = table.trim().split("\n").slice(1);
  return new Map(lines.map((line) => line.trim().split(/\s+/)).map(([name = "", ...cells]) => [name, cells]));
}

describe.skipIf(sayWhyNot("what nodes and pods use", lacking))("the resources of a real node", () => {
  let cluster: LabCluster;

  beforeAll(async () => {
    const kubeletArgs = [
      "eviction-hard=memory.available<200Mi",
      "volume-stats-agg-period=500ms",
      "container-log-max-size=200Ki",
      "container-log-max-files=3",
      "container-log-monitor-interval=500ms",
      "system-reserved=memory=64Mi",
      "pod-max-pids=200",
    ];
    const args = kubeletArgs.flatMap((arg) => ["--kubelet-arg", arg]);
    cluster = await startLabCluster({ name: "resources", nodes: 1, args });
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test("kubectl top shows the usage of nodes, pods and containers", async () => {
    await cluster.apply(podManifest("busy", "while true; do :; done", {}, { resources: { limits: { cpu: "200m" } } }));
    await cluster.kubectl("wait", "--for=condition=Ready", "pod/busy", "--timeout=30s");
    const nodes = rows(await cluster.kubectl("top", "nodes"));
    const [cores = "", , memory = ""] = nodes.get("node-1") ?? [];
    expect(Number.parseInt(cores, 10)).toBeGreaterThan(50);
    expect(memory).toMatch(/^\d+Mi$/);
    const pods = rows(await cluster.kubectl("top", "pods", "-l", "app=busy"));
    // The pod may use 200m, and uses as much as it can.
    expect(Number.parseInt(pods.get("busy")?.[0] ?? "", 10)).toBeGreaterThan(50);
    expect(Number.parseInt(pods.get("busy")?.[0] ?? "", 10)).toBeLessThan(400);
    const containers = await cluster.kubectl("top", "pod", "busy", "--containers");
    expect(containers).toMatch(/^busy +main +\d+m +\d+Mi/m);
    expect(await cluster.kubectl("get", "pods.metrics.k8s.io")).toMatch(/^NAME +CPU +MEMORY +WINDOW\nbusy /);
    await cluster.kubectl("debug", "busy", "--image=busybox:1", "-c", "short", "--attach=false", "--", "true");
    const endedMs = await eventually("the debug container has ended", async () => {
      const { status } = await cluster.get<DebuggedPod>("pod", "busy");
      return Date.parse(status.ephemeralContainerStatuses?.[0]?.state.terminated?.finishedAt ?? "") || undefined;
    });
    const later = await eventually("usage measured after that", async () => {
      const metrics = await cluster.get<PodMetrics>("pods.metrics.k8s.io", "busy");
      return Date.parse(metrics.timestamp) > endedMs ? metrics : undefined;
    });
    expect(later.containers.map(({ name }) => name)).toEqual(["main"]);
    await cluster.kubectl("delete", "pod", "busy", "--now");
  });

  const podOf = (name: string) =>
    cluster.get<KubernetesObject & { status: { reason?: string; message?: string } }>("pod", name);
  const eventsOf = (name: string) =>
    cluster.kubectl(
      "get",
      "events",
      "--field-selector",
      `involvedObject.name=${name}`,
      "-o",
      "jsonpath={range .items[*]}{.reason}: {.message}{'\\n'}{end}",
    );

  test("a pod that exceeds an emptyDir's limit is evicted, and reports it", async () => {
    await cluster.apply(
      podManifest(
        "hoarder",
        "dd if=/dev/zero of=/cache/file bs=1M count=20; sleep 3600",
        { volumes: [{ name: "cache", emptyDir: { sizeLimit: "10Mi" } }] },
        { volumeMounts: [{ name: "cache", mountPath: "/cache" }] },
      ),
    );
    const { status } = await eventually("the pod is evicted", async () => {
      const pod = await podOf("hoarder");
      return pod.status.phase === "Failed" ? pod : undefined;
    });
    const message = 'Usage of EmptyDir volume "cache" exceeds the limit "10Mi". ';
    expect(status).toMatchObject({ reason: "Evicted", message });
    expect(await cluster.kubectl("get", "pod", "hoarder")).toContain("Evicted");
    await eventually("an event that says why", async () => (await eventsOf("hoarder")).includes(`Evicted: ${message}`));
    await cluster.kubectl("delete", "pod", "hoarder", "--now");
  });

  test("a node that runs out of memory reports it, evicts the pod with the most usage beyond its requests, and recovers", async () => {
    const memory = { volumes: [{ name: "memory", emptyDir: { medium: "Memory" } }] };
    const mount = { volumeMounts: [{ name: "memory", mountPath: "/memory" }] };
    await cluster.apply(podManifest("innocent", "sleep 3600", {}, { resources: { requests: { memory: "32Mi" } } }));
    await cluster.apply(
      podManifest(
        "glutton",
        "until test -e /memory/go; do sleep 0.2; done; dd if=/dev/zero of=/memory/file bs=1M count=120; sleep 3600",
        memory,
        mount,
      ),
    );
    await cluster.kubectl("wait", "--for=condition=Ready", "pod/innocent", "pod/glutton", "--timeout=30s");
    const mebibyte = 1024 * 1024;
    // The node is a cgroup. A limit of the cgroup makes the node run out of memory, independent of
    // the machine's memory.
    const limit = await nodeMemoryLimit(`/kintsugi/${cluster.name}/node-1`);
    await limit.write((await limit.usedBytes()) + 290 * mebibyte);
    await cluster.kubectl("exec", "glutton", "--", "touch", "/memory/go");
    const evicted = await eventually("the glutton is evicted", async () => {
      const pod = await podOf("glutton");
      return pod.status.phase === "Failed" ? pod : undefined;
    });
    expect(evicted.status.message).toMatch(
      /^The node was low on resource: memory\. Threshold quantity: 200Mi, available: \d+Ki\. Container main was using \d+\w+, request is 0, has larger consumption of memory\. $/,
    );
    expect(evicted.status.conditions).toContainEqual(
      expect.objectContaining({ type: "DisruptionTarget", status: "True", reason: "TerminationByKubelet" }),
    );
    const pressure = async () =>
      (await cluster.get("node", "node-1")).status.conditions?.find(({ type }) => type === "MemoryPressure")?.status;
    expect(
      await eventually("pressure is over", async () => ((await pressure()) === "False" ? "False" : undefined)),
    ).toBe("False");
    expect((await podOf("innocent")).status.phase).toBe("Running");
    const told = await cluster.kubectl("get", "events", "-o", "jsonpath={.items[*].reason}");
    for (const reason of ["EvictionThresholdMet", "NodeHasInsufficientMemory", "NodeHasSufficientMemory"])
      expect(told).toContain(reason);
    await limit.write(undefined);
    await cluster.kubectl("delete", "pod", "innocent", "glutton", "--now");
  });

  test("each pod has a cgroup in its class with a limit for the whole pod, and all pods leave the reserved resources free", async () => {
    const root = `/kintsugi/${cluster.name}/node-1/kubepods`;
    const resources = { requests: { cpu: "100m", memory: "32Mi" }, limits: { cpu: "200m", memory: "64Mi" } };
    await cluster.apply(podManifest("bounded", "sleep 1d", {}, { resources }));
    await cluster.apply(podManifest("asks-nothing", "sleep 1d"));
    await cluster.kubectl("wait", "--for=condition=Ready", "pod/bounded", "pod/asks-nothing", "--timeout=30s");
    const bounded = `${root}/burstable/pod${(await podOf("bounded")).metadata.uid}`;
    const asksNothing = `${root}/besteffort/pod${(await podOf("asks-nothing")).metadata.uid}`;
    expect(await bounds(bounded)).toEqual({ weight: isCgroupV2 ? 4 : 102, cpu: 0.2, memory: 64 << 20, pids: 200 });
    expect(await bounds(asksNothing)).toMatchObject({ weight: isCgroupV2 ? 1 : 2, cpu: Infinity, pids: 200 });
    expect(await bounds(`${root}/burstable`)).toMatchObject({ weight: isCgroupV2 ? 4 : 102 });
    expect(await bounds(`${root}/besteffort`)).toMatchObject({ weight: isCgroupV2 ? 1 : 2 });
    const node = await cluster.get<{ status: { capacity: { memory: string } } }>("node", "node-1");
    const capacity =
      Number.parseInt(node.status.capacity.memory, 10) * (node.status.capacity.memory.endsWith("Ki") ? 1024 : 1);
    // The kernel counts in pages.
    expect(Math.abs((await bounds(root)).memory - (capacity - (64 << 20)))).toBeLessThan(4096);
    expect(await cluster.kubectl("describe", "node", "node-1")).toMatch(
      /NodeAllocatableEnforced +.*Updated Node Allocatable limit across pods/,
    );

    // The pod's limit applies to all processes in it, including exec processes.
    const forks = "i=0; while [ $i -lt 300 ]; do sleep 20 & i=$((i+1)); done";
    const { stderr } = await cluster.tryKubectl(["exec", "bounded", "--", "sh", "-c", forks]);
    expect(stderr).toMatch(/can't fork/);
    await cluster.kubectl("delete", "pod", "bounded", "asks-nothing", "--now");
    await eventually("the pod's cgroup is gone", async () => !existsSync(cgroupFile(bounded, "cpu", "")));
  });

  test("a process that the kernel kills inside a surviving container is reported in an event", async () => {
    const limited = { resources: { limits: { memory: "32Mi" } } };
    await cluster.apply(podManifest("parent", "sleep 1; tail /dev/zero & wait; sleep 3600", {}, limited));
    const status = async () => (await podOf("parent")).status.containerStatuses?.[0];
    // Version 2 of cgroups kills a container as a whole.
    const wholeKilled = async () => (await status())?.lastState.terminated?.reason === "OOMKilled";
    const childTold = async () => (await eventsOf("parent")).includes("OOMKilling: ");
    await eventually("it is said whom the kernel killed", isCgroupV2 ? wholeKilled : childTold);
    expect((await status())?.restartCount).toBe(isCgroupV2 ? 1 : 0);
    await cluster.kubectl("delete", "pod", "parent", "--now");
  });

  test("a growing log is rotated and compressed, and can always be read", async () => {
    const line = "x".repeat(1000);
    await cluster.apply(podManifest("talker", `i=0; while true; do i=$((i+1)); echo "$i ${line}"; usleep 500; done`));
    await cluster.kubectl("wait", "--for=condition=Ready", "pod/talker", "--timeout=30s");
    const { uid } = (await podOf("talker")).metadata;
    const directory = `/var/lib/kintsugi/${cluster.name}/nodes/node-1/kubelet/pod-logs/default_talker_${uid}/main`;
    const files = await eventually("an older log is compressed", async () => {
      const names = await readdir(directory);
      return names.some((name) => name.endsWith(".gz")) ? names : undefined;
    });
    expect(files.length).toBeLessThanOrEqual(3);
    const tail = await cluster.kubectl("logs", "talker", "--tail=3");
    // Lines that are written during the read arrive too.
    expect(tail.trim().split("\n").length).toBeGreaterThanOrEqual(3);
    await cluster.kubectl("delete", "pod", "talker", "--now");
  });

  test("a follower of a log that is being rotated receives every line once, in order", async () => {
    const lines = 6000;
    const script = `i=0; while [ $i -lt ${lines} ]; do i=$((i+1)); echo "$i ${"x".repeat(500)}"; usleep 500; done`;
    await cluster.apply(podManifest("counts", script, { restartPolicy: "Never" }));
    await eventually("it has begun", async () => (await cluster.tryKubectl(["logs", "counts"])).stdout !== "");
    const followed = await cluster.kubectl("logs", "-f", "counts");
    const seen = followed.trimEnd().split("\n").map(Number.parseFloat);
    const first = seen[0] ?? 0;
    expect(seen).toEqual(Array.from({ length: lines - first + 1 }, (_, i) => first + i));
    const { uid } = (await podOf("counts")).metadata;
    const directory = `/var/lib/kintsugi/${cluster.name}/nodes/node-1/kubelet/pod-logs/default_counts_${uid}/main`;
    expect((await readdir(directory)).some((name) => name.endsWith(".gz"))).toBe(true);
    await cluster.kubectl("delete", "pod", "counts", "--now");
  });
});

function cgroupFile(cgroup: string, controller: string, name: string): string {
  return join("/sys/fs/cgroup", isCgroupV2 ? "" : controller, cgroup, name);
}

/** Returns the limits of a cgroup: its weight, cores, bytes and processes. */
async function bounds(cgroup: string): Promise<{ weight: number; cpu: number; memory: number; pids: number }> {
  const read = async (controller: string, v1: string, v2 = v1) =>
    (await readFile(cgroupFile(cgroup, controller, isCgroupV2 ? v2 : v1), "utf8")).trim();
  const amount = (text: string) => (text === "max" || text === "-1" ? Infinity : Number(text));
  const quota = await read("cpu", "cpu.cfs_quota_us", "cpu.max");
  return {
    weight: Number(await read("cpu", "cpu.shares", "cpu.weight")),
    cpu: amount(quota.split(" ")[0] ?? "") / 100_000,
    memory: amount(await read("memory", "memory.limit_in_bytes", "memory.max")),
    pids: amount(await read("pids", "pids.max")),
  };
}

/** The memory limit of a cgroup; undefined lifts it. */
async function nodeMemoryLimit(cgroup: string) {
  const directory = isCgroupV2 ? join("/sys/fs/cgroup", cgroup) : join("/sys/fs/cgroup/memory", cgroup);
  const [limitFile, usageFile] = isCgroupV2
    ? ["memory.max", "memory.current"]
    : ["memory.limit_in_bytes", "memory.usage_in_bytes"];
  return {
    write: (bytes: number | undefined) =>
      writeFile(join(directory, limitFile), bytes === undefined ? (isCgroupV2 ? "max" : "-1") : String(bytes)),
    usedBytes: async () => {
      const [usage, stat] = await Promise.all(
        [usageFile, "memory.stat"].map((file) => readFile(join(directory, file), "utf8")),
      );
      return Number(usage) - Number(/^(?:total_)?inactive_file (\d+)/m.exec(stat ?? "")?.[1] ?? 0);
    },
  };
}
