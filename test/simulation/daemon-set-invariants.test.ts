import type { DaemonSet } from "@kintsugi/api";
import { expect, test } from "vitest";
import { aNode, aPod, openWorld } from "./planted-world.ts";

const owner = { apiVersion: "apps/v1", kind: "DaemonSet", name: "agent", uid: "set", controller: true };

async function aWorldWithDaemon(maxSurge: number | string) {
  const world = openWorld();
  await world.putNode(aNode("n1"));
  const set: DaemonSet = {
    metadata: { name: "agent", namespace: "default", uid: "set" },
    spec: {
      selector: {},
      template: { spec: { containers: [] } },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge } },
    },
  };
  await world.put("apps/daemonsets/default/agent", set);
  for (const pod of ["agent-a", "agent-b", "agent-c"])
    await world.putPod(aPod(pod, { nodeName: "n1", metadata: { ownerReferences: [owner] } }));
  const start = (id: string, pod: string, node = "n1") => {
    for (const type of ["created", "started"] as const) world.happens(type, { id, pod, node });
  };
  start("c1", "agent-a");
  return { world, start };
}

test("daemons-run-once: a second daemon that runs on a node before the first has ended", async () => {
  const { world, start } = await aWorldWithDaemon(0);
  start("c2", "agent-b", "n2");
  expect(world.invariants.violation).toBeUndefined();
  start("c3", "agent-c");
  const message = "default/agent-c/main#0 was started on n1, where default/agent-a/main#0 still runs";
  expect(world.found()).toEqual(["daemons-run-once", message]);
});

test("daemons-run-once: the next daemon may run when the first has ended, or when rollouts may surge", async () => {
  const { world, start } = await aWorldWithDaemon("0%");
  world.happens("stopped", { id: "c1", pod: "agent-a" });
  start("c2", "agent-b");
  expect(world.invariants.violation).toBeUndefined();
  const surging = await aWorldWithDaemon(1);
  surging.start("c2", "agent-b");
  expect(surging.world.invariants.violation).toBeUndefined();
});
