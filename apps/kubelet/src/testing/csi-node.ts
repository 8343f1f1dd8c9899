import {
  type CSIDriver,
  csiDrivers,
  nodes,
  type PersistentVolume,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  type PodSpec,
  type Volume,
  volumeAttachments,
} from "@kintsugi/api";
import { attachmentNameOf, type CsiCalls, type CsiClient, type CsiDriver, uniqueVolumeName } from "@kintsugi/csi";
import type { RegistrationStatus } from "@kintsugi/grpc";
import type { RuntimeFaults } from "@kintsugi/cri/simulated";
import { FakeCloud } from "@kintsugi/csi/simulated";
import { TestNode } from "./test-node.ts";
import type { PluginSocket } from "../plugins/plugin-sockets.ts";

const capability = { mount: { fsType: "ext4", mountFlags: [] }, accessMode: { mode: "SINGLE_NODE_WRITER" as const } };

/** A node with the driver of a fake cloud, and a claim that is bound to one of its disks. */
export class CsiNode extends TestNode {
  readonly cloud = new FakeCloud(this);
  readonly calls: string[] = [];
  readonly statuses: RegistrationStatus[] = [];
  sockets: PluginSocket[] = [{ path: "/reg.sock", identity: "1" }];
  supportedVersions = ["1.0.0"];
  /** The requests of the calls, in their order. */
  readonly requests: object[] = [];
  /** Parts of the driver that a test replaces. */
  overrides: Partial<CsiDriver> = {};
  source = { driver: this.cloud.driverName, volumeHandle: "" };

  constructor(faults: RuntimeFaults = {}) {
    super({}, faults);
    const driver = this.cloud.driverOf({ id: "id-of-node-1", zone: "z" });
    this.plugins = {
      sockets: { list: async () => this.sockets, watch: () => {} },
      connectCsi: () => this.#mounting(driver),
      connectDevices: () => {
        throw new Error("this node has no devices");
      },
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

  /** The driver, which mounts on the node the volumes that the fake records. */
  #mounting(driver: CsiDriver): CsiClient {
    const { mounts, calls } = this;
    const mount = (target: string) => mounts.bindInside({ root: "/disk", inside: "", target });
    const { requests } = this;
    return {
      ...driver,
      ...this.overrides,
      close: () => {},
      nodeStageVolume: async (request) => {
        calls.push("stage");
        requests.push(request);
        const answer = await driver.nodeStageVolume(request);
        await mount(request.stagingTargetPath);
        return answer;
      },
      nodePublishVolume: async (request: CsiCalls["nodePublishVolume"][0]) => {
        calls.push(request.readonly ? "publish read-only" : "publish");
        requests.push(request);
        const answer = await (this.overrides.nodePublishVolume ?? driver.nodePublishVolume)(request);
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

  /** @param volume parts of the volume's spec, in addition to the parts that identify the disk. */
  async startWithClaim(volume: Partial<NonNullable<PersistentVolume["spec"]>> = {}): Promise<void> {
    const request = { name: "disk", volumeCapabilities: [capability] };
    const made = await this.cloud.controller.createVolume(request);
    this.source = { driver: this.cloud.driverName, volumeHandle: made.volume?.volumeId ?? "" };
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
        ...volume,
        csi: { ...this.source, ...volume.csi, volumeHandle: this.source.volumeHandle },
      },
    });
    await this.start();
    await this.clock.advance(2_000);
  }

  /** Attaches the volume as the controllers do. */
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

  /** Creates a pod with one container and one volume, bound to the node. */
  async bindVolume(volume: Omit<Volume, "name">, more: Partial<PodSpec> = {}): Promise<void> {
    const spec: PodSpec = {
      nodeName: "node-1",
      containers: [{ name: "c", image: "i", volumeMounts: [{ name: "v", mountPath: "/v" }] }],
      volumes: [{ name: "v", ...volume }],
      ...more,
    };
    const metadata = { name: "p", namespace: "default" };
    await this.client.create(pods, { apiVersion: "v1", kind: "Pod", metadata, spec });
    await this.clock.advance(2_000);
  }

  /** Creates the driver's object. */
  async describeDriver(spec: CSIDriver["spec"]): Promise<void> {
    const metadata = { name: this.cloud.driverName };
    await this.client.create(csiDrivers, { apiVersion: "storage.k8s.io/v1", kind: "CSIDriver", metadata, spec });
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
