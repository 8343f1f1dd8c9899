import { ApiError, type PersistentVolume, type PersistentVolumeClaim } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { aCluster, aNode, podInfo } from "@kintsugi/scheduling/testing";
import { expect, test } from "vitest";
import { prepareVolumes, type PrepareVolumesDeps } from "./prepare-volumes.ts";

const pod = podInfo("web");
const claim: PersistentVolumeClaim = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data", namespace: "default", uid: "u1", resourceVersion: "1" },
};
const selected: PersistentVolumeClaim = {
  ...claim,
  metadata: { ...claim.metadata, annotations: { "volume.kubernetes.io/selected-node": "a" } },
};
const bound: PersistentVolumeClaim = {
  ...claim,
  metadata: {
    ...claim.metadata,
    resourceVersion: "2",
    annotations: { "pv.kubernetes.io/bind-completed": "yes", "volume.kubernetes.io/selected-node": "a" },
  },
  spec: { volumeName: "disk" },
};
const volume: PersistentVolume = { apiVersion: "v1", kind: "PersistentVolume", metadata: { name: "disk" } };

function preparing(update: () => Promise<unknown> = () => Promise.resolve({})) {
  const [clock, state, written] = [new VirtualClock(), aCluster([aNode("a")]), [] as string[]];
  state.assume(pod, "a");
  state.storage.putClaim(claim);
  const reservation = { volumes: [volume], claims: [selected], awaited: [claim] };
  state.storage.reserve(reservation);
  const client = {
    update: async (_type: unknown, object: { metadata: { name?: string } }) => {
      written.push(object.metadata.name ?? "");
      return update();
    },
  } as unknown as PrepareVolumesDeps["client"];
  let outcome: string | undefined = "waiting";
  const { signal } = new AbortController();
  void prepareVolumes({ client, clock, state }, { pod, reservation, signal }).then((result) => (outcome = result));
  return { clock, state, written, outcome: () => outcome };
}

test("a pod is bound once its claims are bound", async () => {
  const { clock, state, written, outcome } = preparing();
  await clock.advance(5_000);
  expect([outcome(), written]).toEqual(["waiting", ["disk", "data"]]);
  state.storage.putClaim(bound);
  await clock.advance(1_000);
  expect(outcome()).toBeUndefined();
});

test.each<[name: string, change: (made: ReturnType<typeof preparing>) => unknown, because: string]>([
  ["time is up", ({ clock }) => clock.advance(602_000), "context deadline exceeded"],
  ["the pod is deleted", ({ state }) => state.removePod(pod.uid), "the pod was removed"],
  ["the claim is deleted", ({ state }) => state.storage.removeClaim(claim), 'persistentvolumeclaim "data" not found'],
  [
    "another claim of its name is created",
    ({ state }) => state.storage.putClaim({ ...bound, metadata: { ...bound.metadata, uid: "u2" } }),
    'persistentvolumeclaim "data" not found',
  ],
  [
    "the provisioner rejects the node",
    ({ state }) => state.storage.putClaim({ ...claim, metadata: { ...claim.metadata, resourceVersion: "3" } }),
    'provisioning failed for PVC "data"',
  ],
])("a pod is not bound when %s", async (_name, change, because) => {
  const made = preparing();
  await made.clock.advance(1_000);
  await change(made);
  await made.clock.advance(2_000);
  expect(made.outcome()).toBe(`binding volumes: ${because}`);
});

test("a pod is not bound when another claim got the volume first", async () => {
  const { clock, written, outcome } = preparing(() => Promise.reject(new ApiError("Conflict", "it is at revision 2")));
  await clock.advance(100);
  expect([written, outcome()]).toEqual([["disk"], "binding volumes: it is at revision 2"]);
});
