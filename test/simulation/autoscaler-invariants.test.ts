import type { HorizontalPodAutoscaler } from "@kintsugi/api";
import { expect, test } from "vitest";
import { openWorld } from "./planted-world.ts";

const second = 1000;

function anAutoscaler(maxReplicas: number, desiredReplicas: number): HorizontalPodAutoscaler {
  return {
    metadata: { name: "web", namespace: "default", uid: "hpa" },
    spec: { minReplicas: 2, maxReplicas, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" } },
    status: { desiredReplicas },
  };
}

type World = ReturnType<typeof openWorld>;

const put = (world: World, maxReplicas: number, desired: number) =>
  world.put("autoscaling/horizontalpodautoscalers/default/web", anAutoscaler(maxReplicas, desired));
const scale = (world: World, replicas: number, user = "system:kube-controller-manager") =>
  world.granted({
    method: "PUT",
    path: "/apis/apps/v1/namespaces/default/deployments/web/scale",
    user,
    body: { spec: { replicas } },
  });

test("autoscalers-stay-within-bounds: an autoscaler that requests more than its bounds; an undecided autoscaler requests nothing", async () => {
  const world = openWorld();
  for (const desired of [0, 2, 5]) await put(world, 5, desired);
  expect(world.invariants.violation).toBeUndefined();
  await put(world, 5, 6);
  expect(world.found()).toEqual(["autoscalers-stay-within-bounds", "default/web requests 6 pods"]);
});

test("autoscalers-stay-within-bounds: an autoscaler that sets less than its bounds; a user may set any size", async () => {
  const world = openWorld();
  await put(world, 5, 0);
  await scale(world, 1, "admin");
  await scale(world, 2);
  expect(world.invariants.violation).toBeUndefined();
  await scale(world, 1);
  expect(world.found()).toEqual(["autoscalers-stay-within-bounds", "default/web scales web to 1 pods"]);
});

test("autoscalers-stay-within-bounds: old bounds remain allowed for as long as a cache may be stale", async () => {
  const world = openWorld();
  await put(world, 9, 9);
  await put(world, 5, 9);
  await world.live(10 * second);
  await put(world, 5, 9);
  expect(world.invariants.violation).toBeUndefined();
  await world.live(10 * second);
  await put(world, 5, 9);
  expect(world.found()).toEqual(["autoscalers-stay-within-bounds", "default/web requests 9 pods"]);
});

/** Commits the size, and grants the request for it. */
async function resize(world: World, replicas: number, user?: string): Promise<void> {
  const template = { spec: { containers: [] } };
  await world.put("apps/deployments/default/web", {
    metadata: { name: "web", namespace: "default", uid: "deployment" },
    spec: { replicas, selector: {}, template },
  });
  await scale(world, replicas, user);
}

test("autoscalers-stabilize: an autoscaler that lowers a size soon after raising it; a user may do so", async () => {
  const world = openWorld();
  await put(world, 9, 0);
  for (const size of [3, 6]) await resize(world, size);
  await world.live(10 * second);
  await resize(world, 4, "admin");
  await resize(world, 9, "admin");
  await resize(world, 7);
  expect(world.invariants.violation).toBeUndefined();
  await resize(world, 5);
  expect(world.found()).toEqual(["autoscalers-stabilize", "default/web lowers web to 5 pods"]);
});

test("autoscalers-stabilize: an autoscaler may lower a size after the window, or under another bound", async () => {
  const world = openWorld();
  await put(world, 9, 0);
  for (const size of [3, 6]) await resize(world, size);
  await world.live(31 * second);
  for (const size of [4, 8]) await resize(world, size);
  await put(world, 5, 0);
  await resize(world, 5);
  expect(world.invariants.violation).toBeUndefined();
});
