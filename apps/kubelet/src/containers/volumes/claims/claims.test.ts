import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  type PodSpec,
} from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import type { Client } from "@kintsugi/client";
import type { NodeContext } from "../../../model/node-context.ts";
import { aPod } from "../../../testing/builders.ts";
import { MemoryFiles } from "../../../simulated/memory-files.ts";
import { MemoryMounts } from "../../../simulated/memory-mounts.ts";
import { TestNode } from "../../../testing/test-node.ts";
import { claimPlugin } from "./claim-plugin.ts";

const unprocessed =
  "FailedMount: Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[data]: ";

interface Storage {
  claim?: Partial<PersistentVolumeClaim>;
  claimRef?: object | undefined;
  volume?: PersistentVolume["spec"];
}

const onNode = (name: string) => ({
  required: {
    nodeSelectorTerms: [
      { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In" as const, values: [name] }] },
    ],
  },
});
const local = { local: { path: "/disks/one" }, nodeAffinity: onNode("node-1") };

/** A node with a claim that is bound to a volume of it; `storage` changes the two objects. */
async function nodeWithClaim(storage: Storage = {}): Promise<TestNode> {
  const node = new TestNode();
  await node.files.makeDirectory("/disks/one");
  const claim = await node.client.create(persistentVolumeClaims, {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data", namespace: "default" },
    spec: { volumeName: "disk" },
    status: { phase: "Bound" },
    ...storage.claim,
  });
  const claimRef = { namespace: "default", name: "data", uid: claim.metadata.uid };
  await node.client.create(persistentVolumes, {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "disk" },
    spec: { accessModes: ["ReadWriteOnce"], claimRef, ...local, ...storage.volume },
  });
  await node.start();
  return node;
}

const ofClaim = { name: "data", persistentVolumeClaim: { claimName: "data" } };

async function runPod(node: TestNode, name = "p", spec: Partial<PodSpec> = {}, mount: object = {}): Promise<string> {
  const volumeMounts = [{ name: "data", mountPath: "/v", ...mount }];
  const containers = [{ name: "c", image: "script.kintsugi.dev/run", volumeMounts }];
  await node.createPod(name, { containers, volumes: [ofClaim], ...spec });
  await node.clock.advance(2000);
  return `/kubelet/pods/${(await node.pod(name)).metadata.uid}`;
}

async function mountOf(node: TestNode) {
  const [container] = await node.runtime.listContainers();
  const { mounts } = await node.runtime.containerStatus(container?.id ?? "");
  const { hostPath, readonly } = mounts.find(({ containerPath }) => containerPath === "/v") ?? {};
  return { hostPath, readonly };
}

test("a local volume is bound into the pod's directory, and its files outlive the pod", async () => {
  await using node = await nodeWithClaim();
  await node.files.write("/disks/one/counter", "41");
  const directory = await runPod(node);
  const target = `${directory}/volumes/kubernetes.io~local-volume/disk`;
  expect(await node.running()).toEqual(["p/c#0"]);
  expect([...node.mounts.points]).toEqual([[target, { kind: "bind", source: "/disks/one" }]]);
  expect(await mountOf(node)).toEqual({ hostPath: target, readonly: false });
  await node.deletePod("p", 1);
  await node.clock.advance(5000);
  expect([...node.mounts.points]).toEqual([]);
  expect(await node.files.list("/kubelet/pods")).toEqual([]);
  expect(await node.files.list("/disks/one")).toEqual(["counter"]);
});

test("a hostPath volume is used in place, and its files outlive the pod", async () => {
  await using node = await nodeWithClaim({
    volume: { local: undefined, hostPath: { path: "/disks/two", type: "DirectoryOrCreate" } },
  });
  await runPod(node);
  expect(await mountOf(node)).toEqual({ hostPath: "/disks/two", readonly: false });
  await node.deletePod("p", 1);
  await node.clock.advance(5000);
  expect(await node.files.list("/kubelet/pods")).toEqual([]);
  expect(await node.files.kindOf("/disks/two")).toBe("directory");
});

test("a claim that the pod mounts read-only is mounted read-only", async () => {
  await using node = await nodeWithClaim();
  const readOnly = { name: "data", persistentVolumeClaim: { claimName: "data", readOnly: true } };
  await runPod(node, "p", { volumes: [readOnly], securityContext: { fsGroup: 7 } });
  expect(await mountOf(node)).toMatchObject({ readonly: true });
});

test("a subPath of a claim's volume is also bind-mounted", async () => {
  await using node = await nodeWithClaim();
  const directory = await runPod(node, "p", {}, { subPath: "logs" });
  expect(node.mounts.points.get(`${directory}/volume-subpaths/data/c/0`)).toEqual({
    kind: "bind",
    source: `${directory}/volumes/kubernetes.io~local-volume/disk/logs`,
  });
});

test.each<[name: string, storage: Storage, message: string]>([
  ["is not bound", { claim: { status: { phase: "Pending" } } }, "error processing PVC default/data: PVC is not bound"],
  ["names no volume", { claim: { spec: {} } }, "error processing PVC default/data: PVC has empty pvc.Spec.VolumeName"],
  [
    "names a volume that another claim has",
    { volume: { claimRef: { namespace: "prod", name: "data", uid: "of-prod" } } },
    "found PV object disk but its pv.Spec.ClaimRef.UID of-prod does not point to claim.UID ",
  ],
  [
    "names a volume that no claim has",
    { volume: { claimRef: undefined } },
    "found PV object disk but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim",
  ],
  [
    "has a raw device",
    { volume: { volumeMode: "Block" } },
    "volume data has volumeMode Block, but is specified in volumeMounts",
  ],
  [
    "has a volume of a type without a plugin",
    { volume: { local: undefined, nfs: { server: "s", path: "/" } } },
    'failed to get Plugin from volumeSpec for volume "disk" err=no volume plugin matched',
  ],
])("a pod whose claim %s does not start and gets an event", async (_name, storage, message) => {
  await using node = await nodeWithClaim(storage);
  await runPod(node);
  expect(await node.running()).toEqual([]);
  expect(await node.events()).toContainEqual(expect.stringContaining(unprocessed + message));
});

test.each<[name: string, volume: PersistentVolume["spec"], message: string]>([
  [
    "belongs to another node",
    { nodeAffinity: onNode("node-2") },
    'MountVolume.NodeAffinity check failed for volume "disk" : no matching NodeSelectorTerms',
  ],
  [
    "has no directory",
    { local: { path: "/disks/none" } },
    'MountVolume.SetUp failed for volume "disk" : path "/disks/none" does not exist',
  ],
])("a pod whose volume %s does not start and gets an event", async (_name, volume, message) => {
  await using node = await nodeWithClaim({ volume });
  await runPod(node);
  expect(await node.running()).toEqual([]);
  expect(await node.events()).toContainEqual(`FailedMount: ${message}`);
});

test("a pod runs once its missing claim exists and is bound", async () => {
  await using node = await nodeWithClaim({ claim: { status: { phase: "Pending" } } });
  await runPod(node);
  const claim = await node.client.get(persistentVolumeClaims, { namespace: "default", name: "data" });
  await node.client.update(persistentVolumeClaims, { ...claim, status: { phase: "Bound" } });
  await node.clock.advance(60_000);
  expect(await node.running()).toEqual(["p/c#0"]);
});

test("a kubelet that restarts keeps the volume mounted and does not query the API for it again", async () => {
  await using node = await nodeWithClaim();
  const directory = await runPod(node);
  await node.stop();
  await node.client.delete(persistentVolumeClaims, { namespace: "default", name: "data" });
  // The machine was also restarted, which removes all mounts.
  node.mounts.points.clear();
  for (const { id } of await node.runtime.listContainers()) node.runtime.exitContainer(id, { exitCode: 1 });
  await node.start();
  await node.clock.advance(30_000);
  expect(await node.running()).toEqual(["p/c#1"]);
  expect([...node.mounts.points.keys()]).toEqual([`${directory}/volumes/kubernetes.io~local-volume/disk`]);
});

test("a pod that was deleted while the kubelet was down leaves no mount and loses no file", async () => {
  await using node = await nodeWithClaim();
  await node.files.write("/disks/one/counter", "41");
  await runPod(node);
  await node.stop();
  await node.client.delete(pods, { namespace: "default", name: "p" });
  await node.start();
  await node.clock.advance(70_000);
  expect([...node.mounts.points.keys()]).toEqual([]);
  expect(await node.files.list("/kubelet/pods")).toEqual([]);
  expect(await node.files.list("/disks/one")).toEqual(["counter"]);
});

test("a ReadWriteOncePod volume is not mounted for a second pod until the first has ended", async () => {
  await using node = await nodeWithClaim({ volume: { accessModes: ["ReadWriteOncePod"] } });
  await runPod(node, "p");
  await node.restart();
  await runPod(node, "q");
  expect(await node.running()).toEqual(["p/c#0"]);
  expect(await node.events()).toContainEqual(
    'FailedMount: MountVolume.SetUp failed for volume "disk" : volume uses the ReadWriteOncePod access mode and is already in use by another pod',
  );
  await node.deletePod("p", 1);
  await node.clock.advance(60_000);
  expect(await node.running()).toEqual(["q/c#0"]);
});

test("two pods whose volumes are set up concurrently do not share a ReadWriteOncePod volume", async () => {
  const metadata = { name: "data", namespace: "default", uid: "claim" };
  const claim = { metadata, spec: { volumeName: "disk" }, status: { phase: "Bound" } };
  const hostPath = { path: "/disks/one" };
  const disk = {
    metadata: { name: "disk" },
    spec: { accessModes: ["ReadWriteOncePod"], claimRef: metadata, hostPath },
  };
  const find = (type: { kind: string }) => Promise.resolve(type.kind === "PersistentVolume" ? disk : claim);
  const plugin = claimPlugin({
    client: { find } as unknown as Client,
    files: new MemoryFiles(),
    mounts: new MemoryMounts(),
    node: { rootDirectory: "/kubelet", nodeName: "node-1" } as NodeContext,
    nodeLabels: () => ({}),
    clock: new VirtualClock(),
    isGone: () => false,
  });
  const setUp = (uid: string) => plugin.setUp({ pod: aPod({}, { metadata: { uid } }), volume: ofClaim });
  const [first, second] = await Promise.allSettled([setUp("p"), setUp("q")]);
  expect([first.status, second.status]).toEqual(["fulfilled", "rejected"]);
  await plugin.tearDown?.("p");
  expect(await setUp("q")).toEqual({ hostPath: "/disks/one", readonly: false });
});

test("an ephemeral volume uses only its pod's claim, and not another claim of that name", async () => {
  await using node = await nodeWithClaim({
    claim: { metadata: { name: "p-data", namespace: "default" } },
  });
  await runPod(node, "p", { volumes: [{ name: "data", ephemeral: { volumeClaimTemplate: { spec: {} } } }] });
  expect(await node.running()).toEqual([]);
  expect(await node.events()).toContainEqual(
    expect.stringContaining("PVC default/p-data was not created for pod default/p (pod is not owner)"),
  );
  const claim = await node.client.get(persistentVolumeClaims, { namespace: "default", name: "p-data" });
  const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: (await node.pod("p")).metadata.uid ?? "" };
  const metadata = { ...claim.metadata, ownerReferences: [{ ...owner, controller: true }] };
  await node.client.update(persistentVolumeClaims, { ...claim, metadata });
  await node.clock.advance(60_000);
  expect(await node.running()).toEqual(["p/c#0"]);
});
