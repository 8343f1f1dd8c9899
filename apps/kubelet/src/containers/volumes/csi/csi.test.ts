import {
  csiNodes,
  nodes,
  type PersistentVolume,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  type PodSpec,
  volumeAttachments,
} from "@kintsugi/api";
import {
  attachmentNameOf,
  type CsiCalls,
  type CsiClient,
  type CsiDriver,
  type RegistrationStatus,
  uniqueVolumeName,
} from "@kintsugi/csi";
import type { RuntimeFaults } from "@kintsugi/cri/testing";
import { FakeCloud } from "@kintsugi/csi/testing";
import { expect, test } from "vitest";
import { TestNode } from "../../../testing/test-node.ts";
import type { PluginSocket } from "./plugin-sockets.ts";

const capability = { mount: { fsType: "ext4", mountFlags: [] }, accessMode: { mode: "SINGLE_NODE_WRITER" as const } };

/** A node with the driver of a fake cloud, and a claim that is bound to a disk of it. */
class CsiNode extends TestNode {
  readonly cloud = new FakeCloud(this);
  readonly calls: string[] = [];
  readonly statuses: RegistrationStatus[] = [];
  sockets: PluginSocket[] = [{ path: "/reg.sock", identity: "1" }];
  supportedVersions = ["1.0.0"];
  source = { driver: this.cloud.driverName, volumeHandle: "" };

  constructor(faults: RuntimeFaults = {}) {
    super({}, faults);
    const driver = this.cloud.driverOf({ id: "id-of-node-1", zone: "z" });
    this.csi = {
      sockets: { list: async () => this.sockets, watch: () => {} },
      connect: () => this.#mounting(driver),
      register: () => ({
        getInfo: async () => ({
          type: "CSIPlugin",
          name: this.cloud.driverName,
          endpoint: "/csi.sock",
          supportedVersions: this.supportedVersions,
        }),
        notify: async (status) => void this.statuses.push(status),
        close: () => {},
      }),
    };
  }

  /** The driver, which mounts on the node what the fake records. */
  #mounting(driver: CsiDriver): CsiClient {
    const { mounts, calls } = this;
    const mount = (target: string) => mounts.bindInside({ root: "/disk", inside: "", target });
    return {
      ...driver,
      close: () => {},
      nodeStageVolume: async (request) => {
        calls.push("stage");
        const answer = await driver.nodeStageVolume(request);
        await mount(request.stagingTargetPath);
        return answer;
      },
      nodePublishVolume: async (request: CsiCalls["nodePublishVolume"][0]) => {
        calls.push(request.readonly ? "publish read-only" : "publish");
        const answer = await driver.nodePublishVolume(request);
        await mount(request.targetPath);
        return answer;
      },
      nodeUnpublishVolume: async (request) => {
        calls.push("unpublish");
        await mounts.unmount(request.targetPath);
        return driver.nodeUnpublishVolume(request);
      },
      nodeUnstageVolume: async (request) => {
        calls.push("unstage");
        await mounts.unmount(request.stagingTargetPath);
        return driver.nodeUnstageVolume(request);
      },
    };
  }

  async startWithClaim(): Promise<void> {
    const request = { name: "disk", volumeCapabilities: [capability] };
    const { volume } = await this.cloud.controller.createVolume(request);
    this.source = { driver: this.cloud.driverName, volumeHandle: volume?.volumeId ?? "" };
    const claim = await this.client.create(persistentVolumeClaims, {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "data", namespace: "default" },
      spec: { volumeName: "disk" },
      status: { phase: "Bound" },
    });
    await this.client.create<PersistentVolume>(persistentVolumes, {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "disk" },
      spec: {
        accessModes: ["ReadWriteOnce"],
        claimRef: { namespace: "default", name: "data", uid: claim.metadata.uid ?? "" },
        csi: this.source,
      },
    });
    await this.start();
    await this.clock.advance(2_000);
  }

  /** The volume is attached as the controllers do it. */
  async attach(): Promise<void> {
    const { volumeHandle: volumeId, driver } = this.source;
    const request = { volumeId, nodeId: "id-of-node-1", volumeCapability: capability, readonly: false };
    await this.cloud.controller.controllerPublishVolume(request);
    await this.client.create(volumeAttachments, {
      apiVersion: "storage.k8s.io/v1",
      kind: "VolumeAttachment",
      metadata: { name: attachmentNameOf(this.source, "node-1") },
      spec: { attacher: driver, nodeName: "node-1", source: { persistentVolumeName: "disk" } },
      status: { attached: true },
    });
    const node = await this.ownNode();
    const volumesAttached = [{ name: uniqueVolumeName(this.source), devicePath: "" }];
    await this.client.update(nodes, { ...node, status: { ...node.status, volumesAttached } });
    await this.clock.advance(5_000);
  }

  ownNode() {
    return this.client.get(nodes, { namespace: "", name: "node-1" });
  }

  async runPod(name: string, parts: { readOnly?: boolean } = {}): Promise<void> {
    await this.bindPod(name, parts);
    await this.clock.advance(2_000);
  }

  async bindPod(name: string, parts: { readOnly?: boolean } = {}): Promise<void> {
    const spec: PodSpec = {
      nodeName: "node-1",
      containers: [{ name: "c", image: "i", volumeMounts: [{ name: "data", mountPath: "/data" }] }],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data", ...parts } }],
    };
    await this.client.create(pods, { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default" }, spec });
  }
}

test("a driver's socket makes it known: CSINode, the Node's labels, and an answer to the driver", async () => {
  await using node = new CsiNode();
  await node.startWithClaim();
  const zoneLabel = `topology.${node.cloud.driverName}/zone`;
  const { spec, metadata } = await node.client.get(csiNodes, { namespace: "", name: "node-1" });
  expect(spec.drivers).toEqual([
    { name: node.cloud.driverName, nodeID: "id-of-node-1", topologyKeys: [zoneLabel], allocatable: { count: 64 } },
  ]);
  expect(metadata.ownerReferences).toMatchObject([{ kind: "Node", name: "node-1" }]);
  expect((await node.ownNode()).metadata.labels).toMatchObject({ [zoneLabel]: "z" });
  expect(node.statuses).toEqual([{ pluginRegistered: true, error: "" }]);
  node.sockets = [];
  await node.clock.advance(60_000);
  expect((await node.client.get(csiNodes, { namespace: "", name: "node-1" })).spec.drivers).toEqual([]);
});

test("a driver that speaks another version is told so", async () => {
  await using node = new CsiNode();
  node.supportedVersions = ["0.3.0"];
  await node.startWithClaim();
  expect(node.statuses[0]).toEqual({
    pluginRegistered: false,
    error: "none of the versions specified 0.3.0 are supported",
  });
});

test("a volume is reported as in use, waited for, staged and published; afterwards all is undone", async () => {
  await using node = new CsiNode();
  await node.startWithClaim();
  await node.runPod("p");
  expect((await node.ownNode()).status?.volumesInUse).toEqual([uniqueVolumeName(node.source)]);
  expect(node.calls).toEqual([]);
  await node.attach();
  expect(node.calls).toEqual(["stage", "publish"]);
  expect(await node.running()).toEqual(["p/c#0"]);
  await node.client.delete(pods, { namespace: "default", name: "p" });
  await node.clock.advance(60_000);
  expect(node.calls).toEqual(["stage", "publish", "unpublish", "unstage"]);
  expect((await node.ownNode()).status?.volumesInUse ?? []).toEqual([]);
  expect([...node.mounts.points.keys()]).toEqual([]);
});

test("a claim that is used read-only is published read-only", async () => {
  await using node = new CsiNode();
  await node.startWithClaim();
  await node.runPod("p", { readOnly: true });
  await node.attach();
  expect(node.calls).toEqual(["stage", "publish read-only"]);
});

test("the first pod to end leaves the volume to the other", async () => {
  await using node = new CsiNode();
  await node.startWithClaim();
  await node.runPod("p");
  await node.attach();
  await node.runPod("q");
  await node.client.delete(pods, { namespace: "default", name: "p" });
  await node.clock.advance(60_000);
  expect(node.calls).toEqual(["stage", "publish", "stage", "publish", "unpublish"]);
  expect((await node.ownNode()).status?.volumesInUse).toEqual([uniqueVolumeName(node.source)]);
});

test("a pod waits while no driver has the volume's name", async () => {
  await using node = new CsiNode();
  node.sockets = [];
  await node.startWithClaim();
  await node.runPod("p");
  expect(await node.running()).toEqual([]);
  expect(await node.events()).toContainEqual(
    expect.stringContaining(`driver name ${node.cloud.driverName} not found in the list of registered CSI drivers`),
  );
  node.sockets = [{ path: "/reg.sock", identity: "1" }];
  await node.clock.advance(60_000);
  await node.attach();
  await node.clock.advance(30_000);
  expect(await node.running()).toEqual(["p/c#0"]);
});

/** Lets time pass and returns the sets of containers that ran, each once, in order. */
async function whoRan(node: CsiNode, seconds: number): Promise<string[]> {
  const sets: string[] = [];
  for (let step = 0; step < seconds * 10; step++) {
    await node.clock.advance(100);
    const set = (await node.running()).join(" and ");
    if (sets.at(-1) !== set) sets.push(set);
  }
  return sets;
}

/** A node whose runtime takes this long to stop a container. */
function nodeThatStopsIn(stopMs: number): CsiNode {
  const before = (call: { name: string }) => (call.name === "stopContainer" ? node.clock.sleep(stopMs) : undefined);
  const node: CsiNode = new CsiNode({ before });
  return node;
}

test.each(["with its driver", "alone"])(
  "a pod that was removed while its kubelet was away, %s, stops before another one writes to its volume",
  async (how) => {
    await using node = nodeThatStopsIn(5_000);
    await node.startWithClaim();
    await node.runPod("p");
    await node.attach();
    node.kill();
    const { sockets } = node;
    if (how === "with its driver") node.sockets = [];
    await node.clock.advance(5_000);
    await node.client.delete(pods, { namespace: "default", name: "p" });
    await node.bindPod("q");
    await node.start();
    node.sockets = sockets;
    expect(await whoRan(node, 120)).toEqual(["p/c#0", "", "q/c#0"]);
    expect(node.calls).toEqual(["stage", "publish", "unpublish", "unstage", "stage", "publish"]);
  },
);

test("a pod that is removed by force stops before another one writes to its volume", async () => {
  await using node = nodeThatStopsIn(5_000);
  await node.startWithClaim();
  await node.runPod("p");
  await node.attach();
  await node.client.delete(pods, { namespace: "default", name: "p" });
  await node.bindPod("q");
  expect(await whoRan(node, 60)).toEqual(["p/c#0", "", "q/c#0"]);
});

test("a pod that does not stop for its removal holds its volume, and the other has an event", async () => {
  await using node = nodeThatStopsIn(100_000);
  await node.startWithClaim();
  await node.runPod("p");
  await node.attach();
  await node.client.delete(pods, { namespace: "default", name: "p" });
  await node.runPod("q");
  await node.clock.advance(60_000);
  expect(await node.running()).toEqual(["p/c#0"]);
  expect(await node.events()).toContainEqual(
    expect.stringMatching(/^FailedMount: .* is still in use by pod .*, which is deleted and has not stopped/),
  );
});

test("the volumes of a pod that still runs are left alone until its containers have stopped", async () => {
  await using node = nodeThatStopsIn(100_000);
  await node.startWithClaim();
  await node.runPod("p");
  await node.attach();
  node.kill();
  await node.client.delete(pods, { namespace: "default", name: "p" });
  await node.start();
  await node.clock.advance(90_000);
  expect(node.calls).toEqual(["stage", "publish"]);
  expect((await node.ownNode()).status?.volumesInUse).toEqual([uniqueVolumeName(node.source)]);
  await node.clock.advance(100_000);
  expect(node.calls).toEqual(["stage", "publish", "unpublish", "unstage"]);
});
