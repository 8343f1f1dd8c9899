import { describe, expect, test } from "vitest";
import { kubeletDefaults, type KubeletOptions } from "../../kubelet-options.ts";
import type { MachineUsage } from "../../machine/kernel/machine.ts";
import { parseThresholds } from "./thresholds.ts";
import { quietMachine, quietUsage } from "../../simulated/quiet-machine.ts";
import { TestNode } from "../../testing/test-node.ts";

const second = 1000;
const mebibyte = 1024 * 1024;

/** A node with 1 GiB. The test sets how much is free; 200 MiB is too little. */
class PressedNode extends TestNode {
  #usage: Partial<MachineUsage> = {};

  constructor(options: Partial<KubeletOptions> = {}) {
    const thresholds = parseThresholds({
      hard: ["memory.available<200Mi", "nodefs.available<10%"],
      soft: [],
      softGracePeriod: [],
      minimumReclaim: [],
    });
    super({ eviction: { ...kubeletDefaults.eviction, thresholds }, ...options });
    this.machine = { ...quietMachine, usage: () => Promise.resolve({ ...quietUsage, ...this.#usage }) };
  }

  async find(usage: Partial<MachineUsage>): Promise<void> {
    this.#usage = usage;
    await this.clock.advance(11 * second);
  }

  async condition(type: string): Promise<string | undefined> {
    return (await this.node()).status?.conditions?.find((each) => each.type === type)?.status;
  }
}

const bestEffort = { containers: [{ name: "c", image: "busybox:1.36", command: ["sleep", "3600"] }] };
const burstable = {
  containers: [
    { name: "c", image: "busybox:1.36", command: ["sleep", "3600"], resources: { requests: { memory: "64Mi" } } },
  ],
};

describe("a node that runs out of memory", () => {
  test("evicts one pod at a time until enough memory is free, and reports pressure for five minutes more", async () => {
    await using node = new PressedNode();
    await node.start();
    await node.createPod("modest", burstable);
    await node.createPod("first", bestEffort);
    await node.createPod("second", { ...bestEffort, priority: 10 });
    await node.clock.advance(5 * second);
    expect(await node.running()).toEqual(["first/c#0", "modest/c#0", "second/c#0"]);

    // Each eviction frees memory; without the second pod there is enough.
    node.machine = {
      ...quietMachine,
      usage: async () => {
        const running = (await node.running()).join();
        const available = running.includes("first") ? 150 : running.includes("second") ? 190 : 250;
        return { ...quietUsage, memoryAvailableBytes: available * mebibyte };
      },
    };
    await node.clock.advance(13 * second);
    expect(await node.condition("MemoryPressure")).toBe("True");
    const evicted = await node.pod("first");
    expect(evicted.status).toMatchObject({ phase: "Failed", reason: "Evicted" });
    expect(evicted.status?.message).toBe(
      "The node was low on resource: memory. Threshold quantity: 200Mi, available: 150Mi. " +
        "Container c was using 4Mi, request is 0, has larger consumption of memory. ",
    );
    expect(evicted.status?.conditions).toContainEqual(
      expect.objectContaining({ type: "DisruptionTarget", status: "True", reason: "TerminationByKubelet" }),
    );
    expect((await node.pod("second")).status?.phase).toBe("Failed");
    const started = (await node.events()).filter((event) => event.startsWith("Evicted: "));
    expect(started.map((event) => /available: (\d+Mi)/.exec(event)?.[1])).toEqual(["150Mi", "190Mi"]);
    expect((await node.pod("modest")).status?.phase).toBe("Running");
    await node.clock.advance(270 * second);
    expect(await node.condition("MemoryPressure")).toBe("True");
    await node.clock.advance(40 * second);
    expect(await node.condition("MemoryPressure")).toBe("False");
    expect(await node.events()).toEqual(
      expect.arrayContaining([
        "NodeHasInsufficientMemory: Node node-1 status is now: NodeHasInsufficientMemory",
        "NodeHasSufficientMemory: Node node-1 status is now: NodeHasSufficientMemory (x2)",
      ]),
    );
  });

  test("does not accept a new BestEffort pod, and keeps an evicted pod's status through a restart", async () => {
    await using node = new PressedNode();
    await node.start();
    await node.createPod("victim", bestEffort);
    await node.clock.advance(5 * second);
    await node.find({ memoryAvailableBytes: 1 });
    await node.createPod("late", bestEffort);
    await node.createPod("careful", burstable);
    await node.clock.advance(2 * second);
    expect((await node.pod("late")).status).toMatchObject({
      phase: "Failed",
      reason: "Evicted",
      message: "Pod was rejected: The node had condition: [MemoryPressure]. ",
    });
    await node.find({});
    await node.restart();
    const { status } = await node.pod("victim");
    expect(status).toMatchObject({ phase: "Failed", reason: "Evicted" });
    expect(status?.conditions?.find(({ type }) => type === "DisruptionTarget")?.reason).toBe("TerminationByKubelet");
  });
});

test("a full disk is first cleared of unused images, and no pod is evicted if that is enough", async () => {
  await using node = new PressedNode();
  node.runtime.images.add("docker.io/library/unused:1");
  await node.start();
  await node.createPod("web", bestEffort);
  await node.clock.advance(130 * second);
  const { rootFs } = quietUsage;
  // Space is freed when the image no longer exists.
  node.machine = {
    ...quietMachine,
    usage: () => {
      const isFull = node.runtime.images.find("docker.io/library/unused:1") !== undefined;
      const availableBytes = isFull ? 1 : rootFs.availableBytes;
      return Promise.resolve({ ...quietUsage, rootFs: { ...rootFs, availableBytes } });
    },
  };
  await node.clock.advance(11 * second);
  expect(node.runtime.images.find("docker.io/library/unused:1")).toBeUndefined();
  expect(node.runtime.images.find("busybox:1.36")).toBeDefined();
  expect((await node.pod("web")).status?.phase).toBe("Running");
  expect(await node.condition("DiskPressure")).toBe("True");
});

test("a node without a registry keeps the images that it cannot pull again, however full its disk is", async () => {
  await using node = new PressedNode({ images: { ...kubeletDefaults.images, localImages: true } });
  node.runtime.images.add("busybox:1.36");
  await node.start();
  node.runtime.images.planPull = () => ({ error: "no such host" });
  await node.clock.advance(130 * second);
  const { rootFs } = quietUsage;
  await node.find({ rootFs: { ...rootFs, availableBytes: 1 } });
  expect(await node.condition("DiskPressure")).toBe("True");
  await node.find({ rootFs });
  await node.clock.advance(310 * second);
  expect(await node.condition("DiskPressure")).toBe("False");
  await node.createPod("newcomer", bestEffort);
  await node.clock.advance(2 * second);
  expect((await node.pod("newcomer")).status?.phase).toBe("Running");
});

test("the logs of an evicted pod are removed with it, so that no other pod is evicted for them", async () => {
  await using node = new PressedNode();
  await node.start();
  await node.createPod("quiet", bestEffort);
  const talker = await node.createPod("talker", bestEffort);
  await node.clock.advance(5 * second);
  const logFile = `/logs/default_talker_${talker.metadata.uid}/c/0.log`;
  await node.files.write(logFile, "x".repeat(1000));
  const { rootFs } = quietUsage;
  // Images and layers are on another file system, so garbage collection frees no space here.
  node.machine = {
    ...quietMachine,
    filesystem: () => Promise.resolve({ ...rootFs, device: 2 }),
    usage: async () => {
      const isFull = (await node.files.kindOf(logFile)) !== undefined;
      return { ...quietUsage, rootFs: isFull ? { ...rootFs, availableBytes: 1 } : rootFs };
    },
  };
  await node.clock.advance(30 * second);
  expect((await node.pod("talker")).status).toMatchObject({
    phase: "Failed",
    reason: "Evicted",
    containerStatuses: [{ state: { terminated: { reason: "Error" } } }],
  });
  expect((await node.pod("quiet")).status?.phase).toBe("Running");
  const { status } = await node.pod("talker");
  await node.restart();
  expect((await node.pod("talker")).status).toEqual(status);
});
