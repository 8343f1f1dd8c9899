import { type CallName, type RuntimeCall, type RuntimeFaults } from "@kintsugi/cri/simulated";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoClusters } from "../support/host-abilities.ts";
import { NodeBehindProxy } from "../support/node/node-behind-proxy.ts";
import { eventually } from "../support/run-program.ts";
import { sampleOf } from "../support/samples.ts";

// A kubelet that dies in the middle of a call to a real containerd. Slow faults, such as calls that
// hang and long absences, are in the slow suite.

const minuteMs = 60_000;
/**
 * The kubelet may die between any two of these calls. Lists are left out, because a repeated list
 * is harmless.
 */
const changes: readonly CallName[] = [
  "runPodSandbox",
  "createContainer",
  "startContainer",
  "stopContainer",
  "stopPodSandbox",
  "removeContainer",
  "removePodSandbox",
];

interface Death {
  call: CallName;
  when: "before" | "after";
  kill(): void;
}

/**
 * Kills the kubelet before a call has an effect, or after it, so that its answer is lost; the dead
 * kubelet's call is never answered.
 */
class Deaths implements RuntimeFaults {
  #at: Death | undefined;

  arm(at: Death): void {
    this.#at = at;
  }

  before(call: RuntimeCall): Promise<void> | undefined {
    return this.#strike(call, "before");
  }

  after(call: RuntimeCall): Promise<void> | undefined {
    return this.#strike(call, "after");
  }

  #strike(call: RuntimeCall, when: "before" | "after"): Promise<void> | undefined {
    const at = this.#at;
    if (at?.call !== call.name || at.when !== when) return undefined;
    this.#at = undefined;
    at.kill();
    return Promise.reject(new Error("nobody is left to hear the answer"));
  }
}

const moments = changes.flatMap((call) => (["before", "after"] as const).map((when) => [when, call] as const));

describe.skipIf(sayWhyNot("a kubelet that dies in the middle of a call", whyNoClusters()))("on a real node", () => {
  let node: NodeBehindProxy;
  let steady: string | undefined;
  const deaths = new Deaths();

  beforeAll(async () => {
    const options = { name: "faults", podCidr: "10.199.7.0/24", faults: deaths, callTimeoutMs: 4000 };
    node = await NodeBehindProxy.start(options);
    await node.create("steady", "exec sleep 3600");
    steady = (await node.runs("steady")).containerID;
  });
  afterAll(async () => {
    await node?.[Symbol.asyncDispose]();
  });

  test.each(sampleOf(moments, 3))(
    "a kubelet that crashes %s %s leaves no duplicates, and the next kubelet finishes its work",
    { timeout: 2 * minuteMs },
    async (when, call) => {
      const name = `${when}-${call.toLowerCase()}`;
      // The fault is armed only at its step, because the answer about the previous removal may
      // still be in flight.
      const diesDuring = async (step: () => Promise<void>) => {
        const dead = new Promise<void>((resolve) => {
          deaths.arm({
            call,
            when,
            kill: () => {
              node.killKubelet();
              resolve();
            },
          });
        });
        await step();
        await dead;
        await node.startKubelet();
      };
      const create = () => node.create(name, "exec sleep 3600");
      const remove = () => node.markDeleted(name);
      const atStart = ["runPodSandbox", "createContainer", "startContainer"].includes(call);
      await (atStart ? diesDuring(create) : create());
      await node.runs(name, undefined, minuteMs);
      expect(await node.disorder(steady)).toEqual([]);
      await (atStart ? remove() : diesDuring(remove));
      await eventually(`${name} is gone`, () => node.isGone(name), minuteMs);
      await node.onlyNeighbourIsLeft(minuteMs);
      expect(await node.disorder(steady)).toEqual([]);
    },
  );
});
