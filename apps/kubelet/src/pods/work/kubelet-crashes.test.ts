import type { RuntimeCall, RuntimeFaults } from "@kintsugi/cri/simulated";
import { expect, test } from "vitest";
import { labelNames } from "../../model/labels.ts";
import { TestNode } from "../../testing/test-node.ts";

const second = 1000;

/** Calls that change state. The kubelet may be killed between any two of them. */
const changes = new Set([
  "runPodSandbox",
  "stopPodSandbox",
  "removePodSandbox",
  "createContainer",
  "startContainer",
  "stopContainer",
  "removeContainer",
]);

/**
 * Kills the kubelet at the n-th change of the runtime, before the change takes effect or after it,
 * with its answer lost.
 */
class CrashAt implements RuntimeFaults {
  node: TestNode | undefined;
  seen = 0;
  hasCrashed = false;
  readonly #numbers = new WeakMap<RuntimeCall, number>();
  readonly #at: number;
  readonly #when: "before" | "after";

  constructor(at: number, when: "before" | "after") {
    this.#at = at;
    this.#when = when;
  }

  before(call: RuntimeCall): Promise<void> | void {
    if (changes.has(call.name)) this.#numbers.set(call, ++this.seen);
    if (this.#when === "before") return this.#maybeCrash(call);
  }

  after(call: RuntimeCall): Promise<void> | void {
    if (this.#when === "after") return this.#maybeCrash(call);
  }

  #maybeCrash(call: RuntimeCall): Promise<void> | void {
    if (this.hasCrashed || this.#numbers.get(call) !== this.#at) return;
    this.hasCrashed = true;
    this.node?.kill();
    return new Promise(() => {});
  }
}

/**
 * A pod that serves, a pod that crashes, a pod that runs once and a pod that is deleted, with a
 * kubelet crash in between.
 */
async function live(crash: CrashAt): Promise<{ changes: number; crashed: boolean }> {
  await using node = new TestNode({}, crash);
  crash.node = node;
  await node.start();
  const image = (what: string) => [{ name: "c", image: `script.kintsugi.dev/${what}` }];
  await node.createPod("serves", { containers: image("run") });
  await node.createPod("crashes", { containers: image("exit:1-after-1s") });
  const sleeps = [{ name: "c", image: "busybox:1.36", command: ["sleep", "1"] }];
  await node.createPod("once", { containers: sleeps, restartPolicy: "Never" });
  await node.createPod("goes", { containers: image("stubborn") });
  let hasRestarted = false;
  for (let step = 0; step < 130; step++) {
    await node.clock.advance(second);
    if (step === 8) await node.deletePod("goes", 2);
    if (crash.hasCrashed && !hasRestarted) {
      hasRestarted = true;
      await node.restart();
    }
  }

  expect(await node.findPod("goes")).toBeUndefined();
  expect((await node.pod("once")).status?.containerStatuses).toMatchObject([
    { state: { terminated: { reason: "Completed" } } },
  ]);
  expect((await node.pod("serves")).status).toMatchObject({ phase: "Running" });
  await expectNoDoubles(node);
  const owners = new Set((await node.runtime.listPodSandboxes()).map(({ metadata }) => metadata.name));
  expect([...owners].sort()).toEqual(["crashes", "once", "serves"]);
  const count = (await node.pod("crashes")).status?.containerStatuses?.[0]?.restartCount ?? 0;
  expect(count).toBeGreaterThanOrEqual(4);
  expect(count).toBeLessThanOrEqual(7);
  return { changes: crash.seen, crashed: crash.hasCrashed };
}

/** No container runs twice, and every container that has to run exists exactly once. */
async function expectNoDoubles(node: TestNode): Promise<void> {
  const running = await node.runtime.listContainers({ state: "running" });
  const names = running.map(({ labels }) => `${labels[labelNames.podName]}/${labels[labelNames.containerName]}`);
  expect(names.length).toBe(new Set(names).size);
  expect(names).toContain("serves/c");
}

test.each(["before", "after"] as const)(
  "a kubelet that crashes %s any change of the runtime leaves no duplicate and no unfinished step",
  { timeout: 60_000 },
  async (when) => {
    let at = 1;
    for (let more = true; more; at++) {
      const { changes: seen, crashed } = await live(new CrashAt(at, when));
      expect(crashed, `change ${at} of ${seen}`).toBe(true);
      // Only the crash loop continues beyond the first 26 changes.
      more = at < Math.min(26, seen);
    }
    expect(at).toBeGreaterThan(20);
  },
);
