import { nodes } from "@kintsugi/api";
import { systemClock } from "@kintsugi/clock";
import { type CallName, ScriptedFaults } from "@kintsugi/cri/simulated";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoClusters } from "../support/host-abilities.ts";
import { NodeBehindProxy } from "../support/node/node-behind-proxy.ts";
import { eventually } from "../support/run-program.ts";

// The slow faults of a real containerd: calls that hang, and a long absence. The end-to-end suite
// has the kubelet that dies in the middle of a call.

const minuteMs = 60_000;

describe.skipIf(sayWhyNot("slow faults of a real runtime", whyNoClusters()))("on a real node", () => {
  let node: NodeBehindProxy;
  let steady: string | undefined;
  const scripted = new ScriptedFaults(systemClock);

  beforeAll(async () => {
    const options = { name: "absences", podCidr: "10.199.11.0/24", faults: scripted, callTimeoutMs: 4000 };
    node = await NodeBehindProxy.start(options);
    await node.create("steady", "exec sleep 3600");
    steady = (await node.runs("steady")).containerID;
  });
  afterAll(async () => {
    scripted.clear();
    await node?.[Symbol.asyncDispose]();
  });

  test(
    "calls that hang cost their time limit, and their late effects are cleaned up",
    { timeout: 3 * minuteMs },
    async () => {
      const hanging: CallName[] = [
        "runPodSandbox",
        "createContainer",
        "startContainer",
        "containerStatus",
        "listContainers",
      ];
      for (const call of hanging) scripted.hang(call, { times: 1 });
      await node.create("waits", "exec sleep 3600");
      const { containerID = "", restartCount } = await node.runs("waits", undefined, 2 * minuteMs);
      expect(await node.disorder(steady)).toEqual([]);
      // The hanging calls continue only now: they create a sandbox and a container for which no
      // kubelet waits.
      scripted.clear();
      await eventually(
        "what was made too late is gone",
        async () => {
          const sandboxes = await node.direct.listPodSandboxes();
          const containers = await node.direct.listContainers({ state: "running" });
          return sandboxes.length === 2 && containers.length === 2;
        },
        minuteMs,
      );
      expect(await node.containerOf("waits")).toMatchObject({ containerID, restartCount, state: { running: {} } });
      scripted.hang("stopContainer", { times: 1 });
      scripted.hang("stopPodSandbox", { times: 1 });
      await node.remove("waits", minuteMs);
      scripted.clear();
      await node.onlyNeighbourIsLeft(minuteMs);
      expect(await node.disorder(steady)).toEqual([]);
    },
  );

  test(
    "a containerd that is down for 30 s is reported, and missed changes are caught up within a minute",
    { timeout: 3 * minuteMs },
    async () => {
      for (const name of ["crashes", "goes"]) await node.create(name, "exec sleep 3600");
      const { containerID: crashing = "" } = await node.runs("crashes");
      await node.runs("goes");
      const victim = await node.processOf(crashing);
      await node.containerd.crash();
      process.kill(victim, "SIGKILL");
      await node.create("comes", "exec sleep 3600");
      await node.markDeleted("goes");
      const isReady = async (wanted: string) => {
        const { conditions = [] } = (await node.client.get(nodes, { namespace: "", name: "node-1" })).status ?? {};
        const ready = conditions.find(({ type }) => type === "Ready");
        return ready?.status === wanted ? ready : undefined;
      };
      const told = await eventually("the node says so", () => isReady("False"), minuteMs);
      expect(told.message).toContain("container runtime is down");
      expect((await node.containerOf("crashes"))?.state?.running).toBeDefined();
      await node.containerd.start();
      await eventually("the node is ready", () => isReady("True"), minuteMs);
      await node.runs("comes", 0, minuteMs);
      const { lastState } = await node.runs("crashes", 1, minuteMs);
      expect(lastState?.terminated?.exitCode).toBe(await node.exitCodeOfKilledUnseen());
      await eventually("goes is gone", () => node.isGone("goes"), minuteMs);
      expect(await node.disorder(steady)).toEqual([]);
      for (const name of ["comes", "crashes"]) await node.remove(name, minuteMs);
      await node.onlyNeighbourIsLeft(minuteMs);
    },
  );
});
