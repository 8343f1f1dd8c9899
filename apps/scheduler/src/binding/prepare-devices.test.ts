import { ApiError, type ResourceClaim } from "@kintsugi/api";
import { ConnectionError } from "@kintsugi/client";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { ClusterState } from "@kintsugi/scheduling";
import { podInfo } from "@kintsugi/scheduling/testing";
import { expect, test } from "vitest";
import { prepareDevices, type PrepareDevicesDeps } from "./prepare-devices.ts";

const pod = podInfo("web");
const claim: ResourceClaim = {
  metadata: { name: "gpu", namespace: "default", uid: "u1", resourceVersion: "1" },
  spec: {},
};
const allocation = { devices: { results: [{ request: "r", driver: "d", pool: "p", device: "g" }] } };
const device = "d/p/g";

type Step = "done" | "lost before" | "lost after" | ApiError;

/** An API with one claim, whose answers to writes follow `steps`. */
function preparing(steps: Step[], stored: ResourceClaim | undefined = claim) {
  const [clock, state] = [new VirtualClock(), new ClusterState(() => ({ fault: "none" }))];
  state.devices.putClaim(claim);
  state.assume(pod, "a");
  const api = { claim: stored };
  const lost = () => new ConnectionError("broken off", { operation: "PUT", outcomeUnknown: true });
  const client = {
    find: async () => Promise.resolve(api.claim),
    update: async (_type: unknown, object: ResourceClaim) => {
      const step = steps.shift() ?? "done";
      if (typeof step === "object") throw step;
      if (step === "lost before") throw lost();
      const { resourceVersion } = api.claim?.metadata ?? {};
      if (object.metadata.resourceVersion !== resourceVersion) throw new ApiError("Conflict", "it has changed");
      const next = { ...object.metadata, resourceVersion: `${Number(resourceVersion) + 1}` };
      api.claim = { ...object, metadata: next };
      if (step === "lost after") throw lost();
      return Promise.resolve(api.claim);
    },
  } as unknown as PrepareDevicesDeps["client"];
  const reservations = [{ claim, allocation }];
  state.devices.reserve(reservations);
  let outcome: string | undefined = "waiting";
  const deps = { client, clock, random: new SeededRandom(1), state };
  const { signal } = new AbortController();
  void prepareDevices(deps, { pod, reservations, signal }).then((result) => (outcome = result));
  return { clock, state, api, outcome: () => outcome };
}

const forbidden = () => new ApiError("Forbidden", "no right");

test.each<[name: string, steps: Step[]]>([
  ["both writes are answered", []],
  ["the finalizer's answer is lost", ["lost after"]],
  ["the answer about the allocation is lost", ["done", "lost after"]],
  ["the allocation does not arrive", ["done", "lost before"]],
  ["an allocation may be written, and a second write is rejected", ["done", "lost after", forbidden()]],
  ["an allocation may be in flight, and a second write is rejected", ["done", "lost before", forbidden()]],
  ["another client changes the claim", [new ApiError("Conflict", "it has changed")]],
])("a claim has its devices and is reserved when %s", async (_name, steps) => {
  const { clock, state, api, outcome } = preparing(steps);
  await clock.advance(10_000);
  expect(outcome()).toBeUndefined();
  expect(api.claim?.metadata.finalizers).toEqual(["resource.kubernetes.io/delete-protection"]);
  expect(api.claim?.status).toEqual({
    allocation,
    reservedFor: [{ resource: "pods", name: "web", uid: pod.uid }],
  });
  expect([state.devices.isBeingAllocated("u1"), state.devices.inUse.has(device)]).toEqual([false, true]);
});

const metadata = { ...claim.metadata, resourceVersion: "2" };
test.each<[because: string, stored: ResourceClaim | undefined, steps: Step[]]>([
  ["allocate claim default/gpu: no right", claim, [forbidden()]],
  ['resourceclaim "gpu" not found', { ...claim, metadata: { ...metadata, uid: "other" } }, []],
  [
    "claim default/gpu was allocated to another node in the meantime",
    { ...claim, metadata, status: { allocation } },
    [],
  ],
  [
    "claim default/gpu got deleted in the meantime",
    { ...claim, metadata: { ...metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } },
    [],
  ],
])("a pod is not bound: %s", async (because, stored, steps) => {
  const { clock, outcome } = preparing(steps, stored);
  await clock.advance(10_000);
  expect(outcome()).toBe(because);
});

test("devices are kept for a claim as long as the outcome of its write is unknown", async () => {
  const { clock, state, outcome } = preparing(["done", ...Array.from({ length: 50 }, () => "lost before" as const)]);
  await clock.advance(20_000);
  expect([outcome(), state.devices.inUse.has(device)]).toEqual(["waiting", true]);
});
