import { RuntimeError } from "@kintsugi/cri";
import { podCalls, type RuntimeCall, type RuntimeFaults } from "@kintsugi/cri/simulated";
import { expect, test } from "vitest";
import { labelNames } from "../../model/labels.ts";
import { quietMachine } from "../../simulated/quiet-machine.ts";
import { TestNode } from "../../testing/test-node.ts";

// All faults of the runtime preserve the same guarantees: running containers continue as the same
// containers, leftovers are deleted within a minute, and no container runs twice.

const second = 1000;
const minute = 60 * second;

const ways = ["fails", "succeeds, and the answer is lost", "hangs"] as const;

/** Makes the n-th call fail, counted from when it is armed. */
class FaultAt implements RuntimeFaults {
  seen = 0;
  hit: string | undefined;
  isArmed = false;
  readonly #numbers = new WeakMap<RuntimeCall, number>();
  readonly #at: number;
  readonly #way: (typeof ways)[number];

  constructor(at: number, way: (typeof ways)[number]) {
    this.#at = at;
    this.#way = way;
  }

  before(call: RuntimeCall): Promise<void> | void {
    if (!this.isArmed || !podCalls.includes(call.name)) return;
    this.#numbers.set(call, ++this.seen);
    if (this.seen !== this.#at) return;
    this.hit = call.name;
    if (this.#way === "fails") throw new RuntimeError("unavailable", "injected");
    if (this.#way === "hangs") return new Promise(() => {});
  }

  after(call: RuntimeCall): void {
    const isHit = this.#numbers.get(call) === this.#at;
    if (isHit && this.#way !== "fails") throw new RuntimeError("unavailable", "the answer was lost");
  }
}

const doing = (what: string) => [{ name: "c", image: `script.kintsugi.dev/${what}` }];
const containerId = async (node: TestNode, name: string) =>
  (await node.pod(name)).status?.containerStatuses?.map(
    ({ containerID, restartCount }) => `${containerID}#${restartCount}`,
  );

/**
 * A pod that serves all the time; then pods are added, removed and crash, and one of all these
 * calls fails.
 */
async function live(fault: FaultAt, durationMs: number): Promise<void> {
  await using node = new TestNode({}, fault);
  await node.start();
  await node.createPod("serves", { containers: doing("run") });
  await node.createPod("goes", { containers: doing("run") });
  await node.createPod("crashes", { containers: doing("run") });
  await node.clock.advance(5 * second);
  const before = await containerId(node, "serves");
  const [crashing] = await node.runtime.listContainers({ labels: { [labelNames.podName]: "crashes" } });
  fault.isArmed = true;
  node.runtime.exitContainer(crashing?.id ?? "", { exitCode: 1 });
  await node.createPod("comes", { containers: doing("run") });
  await node.deletePod("goes", 1);
  for (let passed = 0; passed < durationMs; passed += 5 * second) {
    await node.clock.advance(5 * second);
    expectNoDoubles(node);
  }
  expect(await containerId(node, "serves"), `${fault.hit} ${fault.seen}`).toEqual(before);
  expect(await node.findPod("goes")).toBeUndefined();
  const running = await node.running();
  expect(running.map((each) => each.replace(/#\d+$/, ""))).toEqual(["comes/c", "crashes/c", "serves/c"]);
  expect(running).toContain("serves/c#0");
  const owners = (await node.runtime.listPodSandboxes({ ready: true })).map(({ metadata }) => metadata.name);
  expect(owners.sort((a, b) => (a < b ? -1 : 1))).toEqual(["comes", "crashes", "serves"]);
  for (const name of ["comes", "crashes", "serves"]) expect((await node.pod(name)).status?.phase).toBe("Running");
}

/** No container of a pod runs twice, not even for a moment that no listing shows. */
function expectNoDoubles(node: TestNode): void {
  const { containers } = node.runtime.running();
  const sandboxes = containers.map(({ sandboxId }) => sandboxId);
  expect(new Set(sandboxes).size, "one container in each sandbox").toBe(sandboxes.length);
}

test.each(ways)("a call that %s, each in turn, only costs time", { timeout: 120_000 }, async (way) => {
  const hit = new Set<string>();
  // A hanging call ends at its time limit of 2 min, and a hanging call for a sandbox at 4 min. One
  // minute remains for the clean-up.
  const durationMs = way === "hangs" ? 6 * minute : 1.5 * minute;
  // Every call of the first seconds fails once. Of the later calls, which are repetitions, every
  // fourth call fails once.
  for (let at = 1; at <= 50; at += at < 26 ? 1 : 4) {
    const fault = new FaultAt(at, way);
    await live(fault, durationMs);
    if (fault.hit !== undefined) hit.add(fault.hit);
  }
  expect([...hit]).toEqual(
    expect.arrayContaining(["runPodSandbox", "createContainer", "startContainer", "stopContainer", "containerStatus"]),
  );
});

test("a runtime that is down for 30 s loses no containers, and later changes are caught up", async () => {
  await using node = new TestNode();
  await node.start();
  for (const name of ["serves", "crashes", "goes"]) await node.createPod(name, { containers: doing("run") });
  await node.clock.advance(5 * second);
  const before = await containerId(node, "serves");
  const [crashing] = await node.runtime.listContainers({ labels: { [labelNames.podName]: "crashes" } });
  node.runtime.setAvailable(false);
  node.runtime.exitContainer(crashing?.id ?? "", { exitCode: 7 });
  await node.createPod("comes", { containers: doing("run") });
  await node.deletePod("goes", 1);
  await node.clock.advance(30 * second);
  expect((await node.pod("crashes")).status?.containerStatuses?.[0]?.state?.running).toBeDefined();
  node.runtime.setAvailable(true);
  await node.clock.advance(minute);
  expect(await containerId(node, "serves")).toEqual(before);
  expect(await node.running()).toEqual(["comes/c#0", "crashes/c#1", "serves/c#0"]);
  expect((await node.pod("crashes")).status?.containerStatuses?.[0]?.lastState?.terminated?.exitCode).toBe(7);
  expect(await node.findPod("goes")).toBeUndefined();
});

test.each([
  ["the sandbox's process", (node: TestNode, id: string) => node.runtime.killSandbox(id)],
  [
    "the shim",
    (node: TestNode, id: string) => {
      for (const { id: container, sandboxId } of node.runtime.running().containers)
        if (sandboxId === id) node.runtime.exitContainer(container, { exitCode: 137 });
      node.runtime.killSandbox(id);
    },
  ],
])("when %s is killed the pod has one new sandbox, and another pod keeps its sandbox", async (_, kill) => {
  await using node = new TestNode();
  await node.start();
  for (const name of ["hit", "neighbour"]) await node.createPod(name, { containers: doing("run") });
  await node.clock.advance(5 * second);
  const before = await containerId(node, "neighbour");
  const [sandbox] = await node.runtime.listPodSandboxes({ labels: { [labelNames.podName]: "hit" } });
  kill(node, sandbox?.id ?? "");
  await node.clock.advance(minute);
  expect(await node.running()).toEqual(["hit/c#1", "neighbour/c#0"]);
  expect(await containerId(node, "neighbour")).toEqual(before);
  const ready = await node.runtime.listPodSandboxes({ ready: true });
  expect(ready.map(({ metadata: { name, attempt } }) => `${name}#${attempt}`).sort((a, b) => (a < b ? -1 : 1))).toEqual(
    ["hit#1", "neighbour#0"],
  );
});

test.each(["kept", "wiped"] as const)(
  "after a reboot of the host with the kubelet's files %s every pod runs once, counted as restarted once",
  async (files) => {
    await using node = new TestNode();
    await node.start();
    await node.createPod("serves", { containers: doing("run"), volumes: [{ name: "scratch", emptyDir: {} }] });
    await node.createPod("done", { containers: doing("exit:0-after-1s"), restartPolicy: "Never" });
    await node.createPod("goes", { containers: doing("run") });
    await node.clock.advance(5 * second);
    node.kill();
    node.runtime.powerOff();
    node.machine = { ...quietMachine, facts: async () => ({ ...(await quietMachine.facts()), bootId: "second" }) };
    if (files === "wiped") for (const path of await node.files.list("/")) await node.files.remove(`/${path}`);
    await node.deletePod("goes", 1);
    await node.clock.advance(minute);
    await node.start();
    await node.clock.advance(minute);
    expect(await node.running()).toEqual(["serves/c#1"]);
    expect((await node.pod("serves")).status).toMatchObject({
      phase: "Running",
      containerStatuses: [{ restartCount: 1, lastState: { terminated: { exitCode: 137 } } }],
    });
    expect((await node.pod("done")).status?.phase).toBe("Succeeded");
    expect(await node.findPod("goes")).toBeUndefined();
    const left = await node.runtime.listPodSandboxes();
    expect(left.map(({ metadata: { name } }) => name)).not.toContain("goes");
    // Each run of the kubelet reads the boot ID of its machine. Only a changed ID causes an event.
    await node.restart();
    const told = (await node.events()).filter((event) => event.includes("reboot"));
    expect(told).toEqual(["Rebooted: Node node-1 has been rebooted, boot id: second"]);
  },
);
