import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createCriRuntime } from "@kintsugi/cri";
import { clusterPaths, ctrAt, defaultDataRoot, imageArchive, nodePaths, ociArchitecture } from "@kintsugi/lab";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFailed, test } from "vitest";
import { sayWhyNot, whyNoKubectlCluster } from "../support/host-abilities.ts";
import { type KubernetesObject, type LabCluster, startLabCluster } from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";
import { moveToSmallDisk, type SmallDisk } from "../support/small-disk.ts";

// A node whose kubelet and containerd each have a small separate file system, and whose cgroup
// allows few processes, so that filling it does not affect other nodes.

const lacking = whyNoKubectlCluster();

const isCgroupV2 = existsSync("/sys/fs/cgroup/cgroup.controllers");
const minuteMs = 60_000;
const mebibyte = 1024 * 1024;
/**
 * The free space that each disk needs, in MiB, and the number of additional processes for which the
 * node needs room.
 */
const floor = { disk: 40, processes: 60 };
const transitionSeconds = 20;

type Condition = { type: string; status: string; reason?: string; message?: string; lastTransitionTime: string };
type EvictedPod = KubernetesObject & { status: { reason?: string; message?: string } };

/** A pod of busybox that is ready once its script has made /done. */
function podManifest(name: string, script: string, spec: object = {}, container: object = {}): string {
  const main = {
    name: "main",
    image: "busybox:1",
    command: ["sh", "-c", `${script} && touch /done && exec sleep 1d`],
    readinessProbe: { exec: { command: ["test", "-e", "/done"] }, periodSeconds: 1 },
    ...container,
  };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    // The kubelet would emit a warning for each pod without a name server, and a node may emit only
    // a limited number of events.
    spec: { terminationGracePeriodSeconds: 1, dnsPolicy: "Default", containers: [main], ...spec },
  });
}

const writes = (path: string, mebibytes: number) => `dd if=/dev/zero of=${path} bs=1M count=${mebibytes}`;
const cache = { volumes: [{ name: "cache", emptyDir: {} }] };
const cacheMount = { volumeMounts: [{ name: "cache", mountPath: "/cache" }] };

describe.skipIf(sayWhyNot("a node whose disk or processes run out", lacking))("a node", () => {
  const name = `pressure-${process.pid}`;
  const paths = clusterPaths(defaultDataRoot, name);
  const node = nodePaths(paths, { name: "node-1" });
  let cluster: LabCluster;
  let ownDisk: SmallDisk;
  let imageDisk: SmallDisk;

  beforeAll(async () => {
    const kubeletArgs = [
      `eviction-hard=nodefs.available<${floor.disk}Mi,imagefs.available<${floor.disk}Mi,pid.available<${floor.processes}`,
      `eviction-pressure-transition-period=${transitionSeconds}s`,
      "minimum-image-ttl-duration=0s",
      "volume-stats-agg-period=500ms",
    ];
    const args = kubeletArgs.flatMap((arg) => ["--kubelet-arg", arg]);
    cluster = await startLabCluster({ name: "pressure", nodes: 1, args });
    await actOnNode("kill");
    ownDisk = await moveToSmallDisk(node.kubeletRoot, { mebibytes: 96 });
    imageDisk = await moveToSmallDisk(node.containerdRoot, { mebibytes: 160 });
    await actOnNode("return");
    await cluster.kubectl("wait", "--for=condition=Ready", "node/node-1", "--timeout=60s");
  });
  afterAll(async () => {
    runtime.close();
    await cluster?.[Symbol.asyncDispose]();
    for (const disk of [ownDisk, imageDisk]) await disk?.[Symbol.asyncDispose]();
  });
  afterEach(async () => {
    for (const disk of [ownDisk, imageDisk]) await disk.giveBack();
    await cluster.kubectl("delete", "pods", "--all", "--now");
  });

  async function actOnNode(action: "kill" | "return"): Promise<void> {
    const { code, stderr } = await cluster.kintsugi("node", action, "node-1");
    if (code !== 0) throw new Error(`node ${action} ended with ${code}: ${stderr}`);
  }

  const podOf = (pod: string) => cluster.get<EvictedPod>("pod", pod);
  const isReady = (pod: string) => cluster.kubectl("wait", "--for=condition=Ready", `pod/${pod}`, "--timeout=60s");
  const conditionOf = async (type: string) => {
    const { conditions = [] } = (await cluster.get("node", "node-1")).status;
    return conditions.find((each) => each.type === type) as Condition | undefined;
  };
  const until = (type: string, status: "True" | "False") =>
    eventually(
      `${type} is ${status}`,
      async () => {
        const condition = await conditionOf(type);
        return condition?.status === status && condition;
      },
      2 * minuteMs,
    );
  const isTainted = async (key: string) =>
    ((await cluster.get("node", "node-1")).spec.taints ?? []).some(
      (taint) => taint.key === `node.kubernetes.io/${key}` && taint.effect === "NoSchedule",
    );
  const evicted = (pod: string) =>
    eventually(
      `${pod} is evicted`,
      async () => {
        const { status } = await podOf(pod);
        return status.phase === "Failed" && status;
      },
      minuteMs,
    );
  /** Returns the evicted pods, in order. */
  const evictions = async () => {
    const { items } = await cluster.get<{ items: (KubernetesObject & { involvedObject: { name: string } })[] }>(
      "events",
      "--field-selector=reason=Evicted",
    );
    return items
      .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
      .map(({ involvedObject }) => involvedObject.name);
  };
  const toldOfNode = () => cluster.kubectl("get", "events", "--field-selector=involvedObject.kind=Node");
  /** The condition ends when its time has passed, and the taint ends with the condition. */
  const pressureEnds = async (type: string, key: string, since: Condition) => {
    const over = await until(type, "False");
    const lastedMs = Date.parse(over.lastTransitionTime) - Date.parse(since.lastTransitionTime);
    expect(lastedMs).toBeGreaterThanOrEqual(transitionSeconds * 1000);
    await eventually("the taint is gone", async () => !(await isTainted(key)));
    return over;
  };
  /** Prints the logs of the kubelet and the API's state if a test fails. */
  const explainFailure = () =>
    onTestFailed(async () => {
      const log = await readFile(join(paths.logs, "kubelet-node-1.log"), "utf8").catch(String);
      console.log(log.split("\n").slice(-80).join("\n"));
      const { stdout } = await cluster.tryKubectl(["get", "pods,events", "-o", "wide", "--sort-by=.metadata.name"]);
      console.log(stdout);
    });

  test("whose disk runs out evicts the pod with the most usage beyond its requests, does not accept a new pod, and recovers", async () => {
    explainFailure();
    const entitled = { resources: { requests: { "ephemeral-storage": "20Mi" } } };
    await cluster.apply(podManifest("entitled", writes("/cache/file", 8), cache, { ...cacheMount, ...entitled }));
    await cluster.apply(podManifest("modest", writes("/cache/file", 12), cache, cacheMount));
    await cluster.apply(podManifest("hoarder", writes("/cache/file", 20), cache, cacheMount));
    for (const pod of ["entitled", "modest", "hoarder"]) await isReady(pod);
    expect(await conditionOf("DiskPressure")).toMatchObject({ status: "False", reason: "KubeletHasNoDiskPressure" });

    // The hoarder's 20 MiB are not enough, but the total of both pods is enough.
    await ownDisk.leaveFree(floor.disk - 26);
    const pressure = await until("DiskPressure", "True");
    expect(pressure).toMatchObject({ reason: "KubeletHasDiskPressure", message: "kubelet has disk pressure" });
    const hoarder = await evicted("hoarder");
    expect(hoarder).toMatchObject({ reason: "Evicted" });
    expect(hoarder.message).toMatch(
      /^The node was low on resource: ephemeral-storage\. Threshold quantity: 40Mi, available: \d+Ki\. (Container main was using \d+Ki, request is 0, has larger consumption of ephemeral-storage\. )?$/,
    );
    expect(hoarder.conditions).toContainEqual(
      expect.objectContaining({ type: "DisruptionTarget", status: "True", reason: "TerminationByKubelet" }),
    );
    await evicted("modest");
    expect(await evictions()).toEqual(["hoarder", "modest"]);
    await eventually("the taint", () => isTainted("disk-pressure"));

    await cluster.apply(podManifest("waits", "true"));
    await cluster.apply(podManifest("refused", "true", { nodeName: "node-1" }));
    const refused = await evicted("refused");
    expect(refused).toMatchObject({
      reason: "Evicted",
      message: "Pod was rejected: The node had condition: [DiskPressure]. ",
    });
    expect(await cluster.kubectl("get", "pods", "refused")).toMatch(/^refused +0\/1 +Evicted +0 /m);
    expect((await podOf("waits")).spec.nodeName).toBeUndefined();

    await pressureEnds("DiskPressure", "disk-pressure", pressure);
    await isReady("waits");
    expect((await podOf("entitled")).status).toMatchObject({
      phase: "Running",
      containerStatuses: [{ restartCount: 0 }],
    });
    const told = await toldOfNode();
    expect(told).toMatch(/Warning +EvictionThresholdMet +.*Attempting to reclaim ephemeral-storage/);
    expect(told).toMatch(/NodeHasDiskPressure +.*Node node-1 status is now: NodeHasDiskPressure/);
    expect(told).toMatch(/NodeHasNoDiskPressure +.*Node node-1 status is now: NodeHasNoDiskPressure/);
  });

  const runtime = createCriRuntime(
    { clock: systemClock, random: systemRandom },
    { endpoint: `unix://${node.containerdSocket}` },
  );
  const ctr = ctrAt(node.containerdSocket);
  const hasImage = async (image: string) => (await ctr("images", "list", "--quiet")).includes(image);
  /** Imports an image without a user, as a registry might have it. */
  async function importUnused(image: string, mebibytes: number): Promise<void> {
    const directory = await mkdtemp(join(tmpdir(), "kintsugi-unused-"));
    const archive = join(directory, "unused.tar");
    const content = Buffer.alloc(mebibytes * mebibyte, 1);
    const files = [{ type: "file", path: "file", mode: 0o644, content }] as const;
    await writeFile(archive, imageArchive([{ names: [image], files }], ociArchitecture()));
    await ctr("images", "import", archive);
    await rm(directory, { recursive: true, force: true });
    const digest = /sha256:[0-9a-f]{64}/.exec(await ctr("images", "list", `name==${image}`))?.[0] ?? "";
    await ctr("images", "tag", image, `${image.split(":")[0]}@${digest}`);
  }

  test("whose images' disk runs out removes images first, and evicts a pod only if no unused image is left", async () => {
    explainFailure();
    await cluster.apply(podManifest("light", writes("/file", 6)));
    await cluster.apply(podManifest("writer", writes("/file", 20)));
    for (const pod of ["light", "writer"]) await isReady(pod);
    await importUnused("example.com/unused:1", 12);
    // The runtime measures layers every ten seconds.
    await eventually("what the writer has written is known", async () => {
      const stats = await runtime.listContainerStats({ labels: { "io.kubernetes.pod.name": "writer" } });
      return stats.some(({ writableLayerBytes }) => writableLayerBytes >= 20 * mebibyte);
    });
    expect(await evictions()).not.toContain("writer");

    await imageDisk.leaveFree(floor.disk - 10);
    const first = await until("DiskPressure", "True");
    await eventually("the image is gone", async () => !(await hasImage("example.com/unused")));
    await imageDisk.giveBack();
    await pressureEnds("DiskPressure", "disk-pressure", first);
    for (const pod of ["light", "writer"]) expect((await podOf(pod)).status.phase).toBe("Running");

    await imageDisk.leaveFree(floor.disk - 10);
    const second = await until("DiskPressure", "True");
    const writer = await evicted("writer");
    expect(writer.message).toMatch(
      /^The node was low on resource: ephemeral-storage\. Threshold quantity: 40Mi, available: \d+Ki\. Container main was using \d+Ki, request is 0, has larger consumption of ephemeral-storage\. $/,
    );
    await pressureEnds("DiskPressure", "disk-pressure", second);
    // The pod's layer was enough, and was removed with the pod.
    expect(await imageDisk.freeMebibytes()).toBeGreaterThan(floor.disk);
    expect((await podOf("light")).status.phase).toBe("Running");
    expect((await evictions()).filter((pod) => pod === "writer" || pod === "light")).toEqual(["writer"]);
  });

  test("without a registry keeps its images, even after a full disk on which they were unused", async () => {
    explainFailure();
    await importUnused("example.com/unused:2", 2);
    await imageDisk.leaveFree(floor.disk - 10);
    const pressure = await until("DiskPressure", "True");
    await eventually("garbage is collected", async () => !(await hasImage("example.com/unused")));
    await imageDisk.giveBack();
    await pressureEnds("DiskPressure", "disk-pressure", pressure);
    await cluster.apply(podManifest("newcomer", "true"));
    expect(await isReady("newcomer")).toContain("condition met");
  });

  test("whose processes run out evicts the pod with the most processes, and recovers", async () => {
    explainFailure();
    const forks = "i=0; while [ $i -lt 100 ]; do sleep 1d & i=$((i+1)); done";
    await cluster.apply(podManifest("calm", "true"));
    await cluster.apply(podManifest("forks", `until test -e /go; do sleep 0.2; touch /done; done; ${forks}`));
    // The pod is ready with its first shell; the forks begin when the file exists.
    for (const pod of ["calm", "forks"]) await isReady(pod);
    const processes = processLimit(`/kintsugi/${cluster.name}/node-1`);
    await processes.write(String((await processes.running()) + floor.processes + 60));
    await cluster.kubectl("exec", "forks", "--", "touch", "/go");
    const pressure = await until("PIDPressure", "True");
    expect(pressure).toMatchObject({
      reason: "KubeletHasInsufficientPID",
      message: "kubelet has insufficient PID available",
    });
    const { message, reason } = await evicted("forks");
    expect(reason).toBe("Evicted");
    expect(message).toMatch(/^The node was low on resource: pids\. Threshold quantity: 60, available: \d+\. $/);
    await eventually("the taint", () => isTainted("pid-pressure"));
    const over = await pressureEnds("PIDPressure", "pid-pressure", pressure);
    expect(over.reason).toBe("KubeletHasSufficientPID");
    await processes.write("max");
    expect((await podOf("calm")).status).toMatchObject({ phase: "Running", containerStatuses: [{ restartCount: 0 }] });
    expect((await evictions()).filter((pod) => pod === "forks" || pod === "calm")).toEqual(["forks"]);
    const told = await toldOfNode();
    for (const each of ["Attempting to reclaim pids", "NodeHasInsufficientPID", "NodeHasSufficientPID"])
      expect(told).toContain(each);
    await cluster.apply(podManifest("newcomer", "true"));
    await isReady("newcomer");
  });
});

/** Reads and sets the limit of a cgroup's processes. */
function processLimit(cgroup: string) {
  const directory = join("/sys/fs/cgroup", isCgroupV2 ? "" : "pids", cgroup);
  return {
    write: (max: string) => writeFile(join(directory, "pids.max"), max),
    running: async () => Number(await readFile(join(directory, "pids.current"), "utf8")),
  };
}
