import { expect, test } from "vitest";
import { aNode, aPod, openWorld } from "./planted-world.ts";

const second = 1000;

function aQuota(hard: object, status?: object) {
  return { metadata: { namespace: "default", name: "life" }, spec: { hard }, ...(status ? { status } : {}) };
}

const key = "core/resourcequotas/default/life";
const small = { spec: { containers: [{ name: "c", resources: { requests: { cpu: "300m" } } }] } };

test("creates-respect-quotas: a pod beyond a quota is detected, and a pod that replaces an ended pod is not", async () => {
  const world = openWorld();
  await world.put(key, aQuota({ pods: "2" }));
  for (const name of ["a", "b"]) await world.putPod(aPod(name));
  await world.putPod({ ...aPod("a"), status: { phase: "Succeeded" } });
  await world.putPod(aPod("c"));
  expect(world.invariants.violation).toBeUndefined();
  await world.putPod(aPod("d"));
  expect(world.found()).toEqual([
    "creates-respect-quotas",
    "default/d raises the usage to 3 pods and 0m of processors, but default/life allows 2 pods and Infinitym of processors",
  ]);
});

test("creates-respect-quotas: a quota that is lowered below its usage is not a violation until the next pod", async () => {
  const world = openWorld();
  await world.put(key, aQuota({ "requests.cpu": "1" }));
  for (const name of ["a", "b"]) await world.putPod({ ...aPod(name), ...small });
  await world.put(key, aQuota({ "requests.cpu": "500m" }));
  await world.live(5 * second);
  expect(world.invariants.violation).toBeUndefined();
  await world.putPod({ ...aPod("c"), ...small });
  expect(world.found()[0]).toBe("creates-respect-quotas");
});

test("quotas-count-correctly: a status that is corrected in time is accepted, and a status that remains wrong is detected in a quiet period", async () => {
  const world = openWorld();
  await world.putNode(aNode("n1"));
  await world.put(key, aQuota({ pods: "5" }, { hard: { pods: "5" }, used: { pods: "0" } }));
  await world.putPod(aPod("a", { nodeName: "n1" }));
  await world.live(20 * second);
  await world.put(key, aQuota({ pods: "5" }, { hard: { pods: "5" }, used: { pods: "1" } }));
  await world.live(120 * second);
  expect(world.invariants.violation).toBeUndefined();
  await world.putPod(aPod("b", { nodeName: "n1" }));
  await world.live(45 * second);
  expect(world.found()).toEqual([
    "quotas-count-correctly",
    "default/life shows 1 pods and Infinitym of processors as used, but the usage is 2 pods and 0m of processors",
  ]);
});
