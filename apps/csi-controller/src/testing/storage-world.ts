import {
  type ApiObject,
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  events,
  type Event,
  leases,
  nodes,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
  type ResourceType,
  silentLogger,
  silentMetrics,
  secrets,
  storageClasses,
  type VolumeAttachment,
  volumeAttachments,
  volumeAttributesClasses,
  type VolumeSnapshot,
  volumeSnapshotClasses,
  type VolumeSnapshotContent,
  volumeSnapshotContents,
  volumeSnapshots,
} from "@kintsugi/api";
import { type Client, createInProcessClient } from "@kintsugi/client";
import { MemoryApi } from "@kintsugi/client/testing";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { type CsiCallName, type CsiCalls, withFaults } from "@kintsugi/csi";
import type { CallFault } from "@kintsugi/grpc";
import { FakeCloud } from "@kintsugi/csi/simulated";
import type { LeaderElectionOptions } from "@kintsugi/controller";
import { runCsiControllers } from "../csi-controllers.ts";

const kinds: readonly ResourceType[] = [
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  events,
  leases,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  secrets,
  storageClasses,
  volumeAttachments,
  volumeAttributesClasses,
  volumeSnapshotClasses,
  volumeSnapshotContents,
  volumeSnapshots,
];
export const driverName = "fake.csi.kintsugi.dev";
export const driverZoneLabel = `topology.${driverName}/zone`;

export interface StorageWorldOptions {
  /**
   * True where the service takes part in a leader election. Default: the service works without an
   * election.
   */
  leaderElection?: LeaderElectionOptions;
  snapshotUploadMs?: number;
}

/** The service over a fake cloud with two nodes, each in a separate zone. */
export class StorageWorld {
  readonly clock = new VirtualClock();
  readonly random = new SeededRandom(1);
  readonly cloud: FakeCloud;
  readonly faults = new Map<CsiCallName, CallFault>();
  readonly client: Client;
  #stop = new AbortController();
  #patience = new AbortController();

  readonly #api: MemoryApi;
  readonly #leaderElection: LeaderElectionOptions | undefined;

  constructor({ leaderElection, ...options }: StorageWorldOptions = {}) {
    const { clock, random } = this;
    this.#leaderElection = leaderElection;
    this.cloud = new FakeCloud({ clock, random }, { zoneCapacityBytes: 10 * 1024 ** 3, ...options });
    const handler = new MemoryApi({ clock, random }, kinds, { finalizers: true });
    this.#api = handler;
    this.client = createInProcessClient({ handler, clock, random }, { identity: { name: "test", groups: [] } });
  }

  async start(bindingMode = "Immediate", parameters: Record<string, string> = {}): Promise<void> {
    for (const [index, name] of ["node-1", "node-2"].entries()) {
      const zone = `zone-${index + 1}`;
      this.cloud.addNode({ id: `id-of-${name}`, zone });
      await this.put(nodes, {
        apiVersion: "v1",
        kind: "Node",
        metadata: { name, labels: { [driverZoneLabel]: zone } },
      });
      await this.put(csiNodes, {
        apiVersion: "storage.k8s.io/v1",
        kind: "CSINode",
        metadata: { name },
        spec: { drivers: [{ name: driverName, nodeID: `id-of-${name}`, topologyKeys: [driverZoneLabel] }] },
      });
    }
    await this.put(storageClasses, {
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name: "standard" },
      provisioner: driverName,
      volumeBindingMode: bindingMode,
      reclaimPolicy: "Delete",
      parameters,
    });
    this.#run();
    await this.clock.advance(10);
  }

  /** Makes the API server unreachable, or reachable again. */
  set isApiDown(isDown: boolean) {
    this.#api.isDown = isDown;
    if (isDown) this.#api.endWatches();
  }

  /** Ends the calls that wait for an answer, as their time limit does. */
  giveUp(): void {
    this.#patience.abort();
    this.#patience = new AbortController();
  }

  /** Ends the process with its calls, and starts another process. */
  restart(): void {
    this.stop();
    this.#stop = new AbortController();
    this.#run();
  }

  #run(): void {
    const { clock, random, client, faults } = this;
    const faulty = withFaults(this.cloud.controller, { clock, faultOf: async (name) => faults.get(name) });
    const patient = (signal?: AbortSignal) => AbortSignal.any([this.#patience.signal, ...(signal ? [signal] : [])]);
    const driver = {
      ...faulty,
      createVolume: (request: CsiCalls["createVolume"][0], signal?: AbortSignal) =>
        faulty.createVolume(request, patient(signal)),
      createSnapshot: (request: CsiCalls["createSnapshot"][0], signal?: AbortSignal) =>
        faulty.createSnapshot(request, patient(signal)),
      controllerModifyVolume: (request: CsiCalls["controllerModifyVolume"][0], signal?: AbortSignal) =>
        faulty.controllerModifyVolume(request, patient(signal)),
    };
    void runCsiControllers(
      { client, clock, random, log: silentLogger, metrics: silentMetrics, driver },
      { leaderElection: this.#leaderElection },
      this.#stop.signal,
    );
  }

  put<T extends ApiObject>(type: ResourceType<T>, object: T): Promise<T> {
    return this.client.create(type, object);
  }

  async claim(annotations: Record<string, string> = {}, storage = "1Gi"): Promise<PersistentVolumeClaim> {
    const claim = await this.put(persistentVolumeClaims, {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {
        name: "data",
        namespace: "default",
        annotations: { "volume.kubernetes.io/storage-provisioner": driverName, ...annotations },
      },
      spec: { accessModes: ["ReadWriteOnce"], storageClassName: "standard", resources: { requests: { storage } } },
    });
    await this.clock.advance(100);
    return claim;
  }

  /** Starts with a claim that is bound to its volume, as after the binder's work. */
  async startBound(spec: Partial<NonNullable<PersistentVolumeClaim["spec"]>> = {}): Promise<void> {
    await this.start();
    await this.claim();
    await this.bind("data", spec);
  }

  async bind(name: string, spec: Partial<NonNullable<PersistentVolumeClaim["spec"]>> = {}): Promise<void> {
    const claim = await this.client.get(persistentVolumeClaims, { namespace: "default", name });
    const volumeName = `pvc-${claim.metadata.uid}`;
    const status = { phase: "Bound", capacity: { storage: "1Gi" } };
    const bound = { ...claim, spec: { ...claim.spec, volumeName, ...spec }, status };
    await this.client.update(persistentVolumeClaims, bound as PersistentVolumeClaim);
    await this.clock.advance(100);
  }

  async snapshotClass(name = "snaps", parts: object = {}): Promise<void> {
    await this.put(volumeSnapshotClasses, {
      apiVersion: "snapshot.storage.k8s.io/v1",
      kind: "VolumeSnapshotClass",
      metadata: { name, annotations: { "snapshot.storage.kubernetes.io/is-default-class": "true" } },
      driver: driverName,
      deletionPolicy: "Delete",
      ...parts,
    });
    await this.clock.advance(100);
  }

  async snapshotOf(source: VolumeSnapshot["spec"]["source"], spec: Partial<VolumeSnapshot["spec"]> = {}) {
    await this.put(volumeSnapshots, {
      apiVersion: "snapshot.storage.k8s.io/v1",
      kind: "VolumeSnapshot",
      metadata: { name: "snap", namespace: "default" },
      spec: { source, ...spec },
    });
    await this.clock.advance(200);
  }

  snapshot(): Promise<VolumeSnapshot | undefined> {
    return this.client.find(volumeSnapshots, { namespace: "default", name: "snap" });
  }

  async content(): Promise<VolumeSnapshotContent | undefined> {
    return (await this.client.list(volumeSnapshotContents)).items[0];
  }

  async deleteSnapshot(): Promise<void> {
    await this.client.delete(volumeSnapshots, { namespace: "default", name: "snap" });
    await this.clock.advance(500);
  }

  /** Creates a claim for a volume from the snapshot. */
  async restore(storage = "1Gi", spec: Partial<NonNullable<PersistentVolumeClaim["spec"]>> = {}): Promise<void> {
    const dataSource = { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "snap" };
    await this.put(persistentVolumeClaims, {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {
        name: "restored",
        namespace: "default",
        annotations: { "volume.kubernetes.io/storage-provisioner": driverName },
      },
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: "standard",
        resources: { requests: { storage } },
        dataSource,
        ...spec,
      },
      status: { phase: "Pending" },
    });
    await this.clock.advance(200);
  }

  async volume(): Promise<PersistentVolume | undefined> {
    return (await this.client.list(persistentVolumes)).items[0];
  }

  async attachment(): Promise<VolumeAttachment | undefined> {
    return (await this.client.list(volumeAttachments)).items[0];
  }

  async attach(nodeName: string): Promise<void> {
    const persistentVolumeName = (await this.volume())?.metadata.name ?? "";
    await this.put(volumeAttachments, {
      apiVersion: "storage.k8s.io/v1",
      kind: "VolumeAttachment",
      metadata: { name: `to-${nodeName}` },
      spec: { attacher: driverName, nodeName, source: { persistentVolumeName } },
    });
    await this.clock.advance(100);
  }

  async reasons(): Promise<string[]> {
    await this.clock.advance(1_000);
    const { items } = await this.client.list(events as ResourceType<Event>);
    return items.map(
      ({ reason = "", message, note }: Event & { note?: string }) => `${reason}: ${message ?? note ?? ""}`,
    );
  }

  stop(): void {
    this.#stop.abort();
  }
}
