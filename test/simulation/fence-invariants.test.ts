import { podFenceAnnotation } from "@kintsugi/api";
import { expect, test } from "vitest";
import { aNode, aPod, openWorld } from "./planted-world.ts";

const second = 1000;
const tolerations = [
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 },
] as const;

/** A pod runs on n1, whose Lease is renewed at 0; the profile considers the node down after 4 s. */
async function aWorldWithPod({ isFenced = true } = {}) {
  const world = openWorld();
  await world.putNode(aNode("n1"));
  const annotations = isFenced ? { [podFenceAnnotation]: "true" } : {};
  const spec = { tolerations: [...tolerations] };
  const pod = aPod("web", { nodeName: "n1", metadata: { annotations }, spec });
  await world.putPod(pod);
  for (const type of ["created", "started"] as const) world.happens(type, { id: "c1", pod: "web" });
  await world.renew("n1");
  return { world, pod };
}

test("fenced-pods-stop: a fenced pod that runs when its replacement may run", async () => {
  const { world } = await aWorldWithPod();
  await world.live(9 * second);
  expect(world.invariants.violation).toBeUndefined();
  await world.live(4 * second);
  expect(world.found()).toEqual(["fenced-pods-stop", expect.stringContaining("default/web/main#0 runs on n1")]);
});

test("fenced-pods-stop: a fenced pod that runs although it is no longer in the API", async () => {
  const { world, pod } = await aWorldWithPod();
  const forced = { method: "DELETE", path: "/api/v1/namespaces/default/pods/web", user: "admin" };
  await world.granted({ ...forced, body: { gracePeriodSeconds: 0 } }, () => world.removePod(pod));
  await world.live(12 * second);
  expect(world.invariants.violation?.invariant).toBe("fenced-pods-stop");
});

test.each([
  ["did not opt in", { isFenced: false }, () => {}],
  [
    "has ended",
    {},
    ({ world }: Awaited<ReturnType<typeof aWorldWithPod>>) => world.happens("stopped", { id: "c1", pod: "web" }),
  ],
  [
    "has a paused kubelet",
    {},
    ({ world }: Awaited<ReturnType<typeof aWorldWithPod>>) => void (world.kubelet.isPaused = true),
  ],
  [
    "has a runtime that does not answer",
    {},
    ({ world }: Awaited<ReturnType<typeof aWorldWithPod>>) => void (world.calls.isFaulty = true),
  ],
])("fenced-pods-stop: a pod may remain that %s", async (_which, traits, happens) => {
  const setting = await aWorldWithPod(traits);
  happens(setting);
  await setting.world.live(20 * second);
  expect(setting.world.invariants.violation).toBeUndefined();
});

test("running-containers-are-kept: a fenced pod may be stopped in the middle of faults, and not in a quiet period", async () => {
  const { world } = await aWorldWithPod();
  const settle = world.quietPeriod.disturb();
  world.happens("stopping", { id: "c1", pod: "web" });
  expect(world.invariants.violation).toBeUndefined();
  settle();
  await world.live(4 * second);
  world.happens("stopping", { id: "c1", pod: "web" });
  expect(world.invariants.violation?.invariant).toBe("running-containers-are-kept");
});
