import { formatTimestamp } from "@kintsugi/api";
import type { Container, ContainerStatus } from "@kintsugi/cri";
import type { RuntimeFaults } from "@kintsugi/cri/simulated";
import { expect, test } from "vitest";
import { TestNode } from "../../testing/test-node.ts";
import { doing } from "../../testing/builders.ts";

const second = 1000;

/**
 * Behaves like containerd's lists: for a while after an end they show the previous state, although
 * its events have already arrived.
 */
class LateLists implements RuntimeFaults {
  lateMs = 0;
  clock: { nowMs(): number } | undefined;
  readonly #firstSeenAtMs = new Map<string, number>();

  answer({ name }: { name: string }, answer: unknown): unknown {
    if (name === "containerStatus") return this.#stale(answer as ContainerStatus);
    if (name === "listContainers") return (answer as Container[]).map((each) => this.#stale(each));
    return answer;
  }

  #stale<T extends Container | ContainerStatus>(container: T): T {
    if (container.state !== "exited") return container;
    const nowMs = this.clock?.nowMs() ?? 0;
    const sinceMs = this.#firstSeenAtMs.get(container.id) ?? nowMs;
    this.#firstSeenAtMs.set(container.id, sinceMs);
    if (nowMs - sinceMs >= this.lateMs) return container;
    return { ...container, state: "running", finishedAtMs: 0, exitCode: 0, reason: "" };
  }
}

async function withRunning(faults: RuntimeFaults, run: (node: TestNode, id: string) => Promise<void>): Promise<void> {
  await using node = new TestNode({}, faults);
  if (faults instanceof LateLists) faults.clock = node.clock;
  await node.start();
  await node.createPod("p", { containers: [{ name: "c", image: "script.kintsugi.dev/run" }] });
  await node.clock.advance(second);
  const [container] = await node.runtime.listContainers();
  await run(node, container?.id ?? "");
}

const statusOf = async (node: TestNode) => (await node.pod("p")).status?.containerStatuses?.[0];
const listings = (node: TestNode) => node.runtime.callsOf("listPodSandboxes").filter(({ args }) => !hasFilter(args[0]));
const hasFilter = (filter: unknown) => Object.keys(filter ?? {}).length > 0;

const minute = 60 * second;

test("a crash is reported and handled from the event, before the runtime lists it", async () => {
  const late = new LateLists();
  await withRunning(late, async (node, id) => {
    late.lateMs = 3 * second;
    node.runtime.exitContainer(id, { exitCode: 3, reason: "OddReason" });
    const exitedAtMs = node.clock.nowMs();
    await node.clock.advance(100);
    expect(await statusOf(node)).toMatchObject({
      restartCount: 1,
      state: { running: {} },
      lastState: { terminated: { exitCode: 3, reason: "Error" } },
    });
    expect(await node.running()).toEqual(["p/c#1"]);
    // The runtime's reason counts after it lists the end, also in the history, and nothing is
    // restarted for it.
    await node.clock.advance(5 * second);
    expect((await statusOf(node))?.lastState?.terminated?.reason).toBe("OddReason");
    const { annotations } = (await node.pod("p")).metadata;
    expect(JSON.parse(annotations?.["kintsugi.dev/terminations"] ?? "[]")).toMatchObject([{ reason: "OddReason" }]);
    expect((await statusOf(node))?.lastState?.terminated?.finishedAt).toBe(formatTimestamp(exitedAtMs));
    expect(node.runtime.callsOf("createContainer")).toHaveLength(2);
  });
});

test("a crash is reported from the event while the runtime does not answer, and handled when it does", async () => {
  const faults: RuntimeFaults & { node?: TestNode; delayMs: number } = {
    delayMs: 0,
    before: ({ name }) =>
      name === "listContainers" && faults.node && faults.delayMs > 0
        ? faults.node.clock.sleep(faults.delayMs)
        : undefined,
  };
  await withRunning(faults, async (node, id) => {
    faults.node = node;
    faults.delayMs = 3 * second;
    node.runtime.exitContainer(id, { exitCode: 3 });
    await node.clock.advance(100);
    expect(await statusOf(node)).toMatchObject({
      restartCount: 0,
      ready: false,
      state: { terminated: { exitCode: 3, reason: "Error" } },
    });
    expect(node.runtime.callsOf("createContainer")).toHaveLength(1);
    faults.delayMs = 0;
    await node.clock.advance(4 * second);
    expect(await statusOf(node)).toMatchObject({
      restartCount: 1,
      state: { running: {} },
      lastState: { terminated: { exitCode: 3 } },
    });
  });
});

test("a pod is rarely read again while the runtime has not confirmed the event", async () => {
  const late = new LateLists();
  await withRunning(late, async (node, id) => {
    late.lateMs = 5 * second;
    const before = node.runtime.callsOf("containerStatus").length;
    node.runtime.exitContainer(id, { exitCode: 1 });
    await node.clock.advance(5 * second);
    // One read every 50 ms, of two containers, and the reads of the restart itself.
    expect(node.runtime.callsOf("containerStatus").length - before).toBeLessThan(250);
  });
});

test("events that arrive late, after a listing, have no effect", async () => {
  let delayMs = 0;
  const faults: RuntimeFaults & { node?: TestNode } = {
    deliver: () => (delayMs === 0 || !faults.node ? true : faults.node.clock.sleep(delayMs).then(() => true)),
  };
  await withRunning(faults, async (node, id) => {
    faults.node = node;
    delayMs = 90 * second;
    node.runtime.exitContainer(id, { exitCode: 3 });
    await node.clock.advance(61 * second);
    expect(await node.running()).toEqual(["p/c#1"]);
    await node.clock.advance(300 * second);
    expect(await node.running()).toEqual(["p/c#1"]);
    expect((await statusOf(node))?.restartCount).toBe(1);
  });
});

test("with events the runtime is listed once a minute, and every second for a minute after a missed event", async () => {
  let isCutOff = false;
  const faults: RuntimeFaults = { deliver: () => !isCutOff };
  await withRunning(faults, async (node, id) => {
    await node.clock.advance(60 * second);
    const before = listings(node).length;
    await node.clock.advance(300 * second);
    expect(listings(node).length - before).toBe(5);

    isCutOff = true;
    node.runtime.exitContainer(id, { exitCode: 1 });
    await node.clock.advance(10);
    isCutOff = false;
    for (let waited = 0; waited < 62 && (await statusOf(node))?.restartCount !== 1; waited++)
      await node.clock.advance(second);
    expect((await statusOf(node))?.restartCount).toBe(1);
    await node.clock.advance(second);
    const missed = listings(node).length;
    await node.clock.advance(30 * second);
    expect(listings(node).length - missed).toBeGreaterThan(25);
    await node.clock.advance(60 * second);
    const quiet = listings(node).length;
    await node.clock.advance(120 * second);
    expect(listings(node).length - quiet).toBe(2);
  });
});

test("without an event stream the runtime is listed every second, and a container that started and ended between two listings is detected", async () => {
  const faults: RuntimeFaults = { deliver: ({ type }) => type !== "connected" && type !== "stopped" };
  await withRunning(faults, async (node) => {
    const before = listings(node).length;
    await node.clock.advance(10 * second);
    expect(listings(node).length - before).toBe(10);
    await node.createPod("quick", {
      restartPolicy: "Never",
      containers: [{ name: "c", image: "script.kintsugi.dev/exit:7-after-200ms" }],
    });
    await node.clock.advance(1.5 * second);
    expect((await node.pod("quick")).status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(7);
  });
});

test("when the runtime's events are lost, a listing detects changes within a minute", async () => {
  await using node = new TestNode({}, { deliver: ({ type }) => type === "connected" });
  await node.start();
  await node.createPod("p", doing("run"));
  await node.clock.advance(2 * second);
  const [container] = await node.runtime.listContainers();
  node.runtime.exitContainer(container?.id ?? "", { exitCode: 1 });
  await node.clock.advance(minute);
  expect(await node.running()).toEqual(["p/c#1"]);
});
