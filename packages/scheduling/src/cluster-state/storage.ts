import {
  classOfVolume,
  type CSIDriver,
  type CSINode,
  type CSIStorageCapacity,
  formatKey,
  keyOf,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
  type VolumeAttachment,
} from "@kintsugi/api";
import type { ClaimReservation } from "../devices/devices.ts";

/** Claims, volumes, classes and the drivers of nodes in the view of a decision. */
export interface StorageView {
  findClaim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  findVolume(name: string): PersistentVolume | undefined;
  findClass(name: string): StorageClass | undefined;
  volumesOfClass(name: string): readonly PersistentVolume[];
  findCsiNode(nodeName: string): CSINode | undefined;
  findCsiDriver(name: string): CSIDriver | undefined;
  /** Returns the capacity that drivers have published for the class. */
  capacitiesOf(className: string): Iterable<CSIStorageCapacity>;
  /**
   * Returns the names of the node's volumes, including volumes that are being attached or detached.
   */
  attachedTo(nodeName: string): Iterable<string>;
}

/** The objects that have to be written before a pod is bound, each in its new state. */
export interface Reservation {
  /** Volumes with a `claimRef` to the pod's claims. */
  readonly volumes: readonly PersistentVolume[];
  /** Claims with the node for which a volume is to be provisioned. */
  readonly claims: readonly PersistentVolumeClaim[];
  /** All claims that have to be bound before the pod; undefined when all of them are bound. */
  readonly awaited?: readonly PersistentVolumeClaim[];
  /** Claims of devices that are to be allocated, or only reserved for the pod. */
  readonly devices?: readonly ClaimReservation[];
}

type StorageObject = PersistentVolume | PersistentVolumeClaim;

// Volumes and claims of the informers, replaced by the objects of the reservations until the
// informer shows a newer revision or the reservation is withdrawn:
//
//   disk @7 ──reserve──► disk @7 with a claimRef ──put (disk @8)──► disk @8
//                               └──release──► disk @7

/** Objects of one kind, with assumed states replacing the known states (upstream's AssumeCache). */
class AssumedObjects<T extends StorageObject> {
  readonly #known = new Map<string, T>();
  readonly #assumed = new Map<string, T>();

  find(key: string): T | undefined {
    return this.#assumed.get(key) ?? this.#known.get(key);
  }

  *all(): Iterable<T> {
    for (const [key, object] of this.#known) yield this.#assumed.get(key) ?? object;
  }

  put(object: T): void {
    const key = formatKey(keyOf(object));
    this.#known.set(key, object);
    const assumed = this.#assumed.get(key);
    if (assumed?.metadata.resourceVersion !== object.metadata.resourceVersion) this.#assumed.delete(key);
  }

  remove(object: T): void {
    const key = formatKey(keyOf(object));
    this.#known.delete(key);
    this.#assumed.delete(key);
  }

  assume(object: T): void {
    this.#assumed.set(formatKey(keyOf(object)), object);
  }

  release(object: T): void {
    const key = formatKey(keyOf(object));
    if (this.#assumed.get(key) === object) this.#assumed.delete(key);
  }
}

/**
 * The scheduler's view of claims, volumes, classes, drivers and attachments, with its own later
 * reservations.
 */
export class Storage implements StorageView {
  readonly #claims = new AssumedObjects<PersistentVolumeClaim>();
  readonly #volumes = new AssumedObjects<PersistentVolume>();
  readonly #classes = new Map<string, StorageClass>();
  readonly #csiNodes = new Map<string, CSINode>();
  readonly #csiDrivers = new Map<string, CSIDriver>();
  /** The capacities by their keys, by class. */
  readonly #capacities = new Map<string, Map<string, CSIStorageCapacity>>();
  /** The volumes by the names of their attachments, by node. */
  readonly #attached = new Map<string, Map<string, string>>();

  findClaim(namespace: string, name: string): PersistentVolumeClaim | undefined {
    return this.#claims.find(formatKey({ namespace, name }));
  }

  findVolume(name: string): PersistentVolume | undefined {
    return this.#volumes.find(formatKey({ namespace: "", name }));
  }

  findClass(name: string): StorageClass | undefined {
    return this.#classes.get(name);
  }

  volumesOfClass(name: string): readonly PersistentVolume[] {
    return [...this.#volumes.all()].filter((volume) => classOfVolume(volume) === name);
  }

  findCsiNode(nodeName: string): CSINode | undefined {
    return this.#csiNodes.get(nodeName);
  }

  findCsiDriver(name: string): CSIDriver | undefined {
    return this.#csiDrivers.get(name);
  }

  capacitiesOf(className: string): Iterable<CSIStorageCapacity> {
    return this.#capacities.get(className)?.values() ?? [];
  }

  attachedTo(nodeName: string): Iterable<string> {
    return this.#attached.get(nodeName)?.values() ?? [];
  }

  putClaim(claim: PersistentVolumeClaim): void {
    this.#claims.put(claim);
  }

  removeClaim(claim: PersistentVolumeClaim): void {
    this.#claims.remove(claim);
  }

  putVolume(volume: PersistentVolume): void {
    this.#volumes.put(volume);
  }

  removeVolume(volume: PersistentVolume): void {
    this.#volumes.remove(volume);
  }

  putClass(storageClass: StorageClass): void {
    this.#classes.set(storageClass.metadata.name ?? "", storageClass);
  }

  removeClass(storageClass: StorageClass): void {
    this.#classes.delete(storageClass.metadata.name ?? "");
  }

  putCsiNode(csiNode: CSINode): void {
    this.#csiNodes.set(csiNode.metadata.name ?? "", csiNode);
  }

  removeCsiNode(csiNode: CSINode): void {
    this.#csiNodes.delete(csiNode.metadata.name ?? "");
  }

  putCsiDriver(driver: CSIDriver): void {
    this.#csiDrivers.set(driver.metadata.name ?? "", driver);
  }

  removeCsiDriver(driver: CSIDriver): void {
    this.#csiDrivers.delete(driver.metadata.name ?? "");
  }

  /** A capacity never changes its class. */
  putCapacity(capacity: CSIStorageCapacity): void {
    const { storageClassName } = capacity;
    const ofClass = this.#capacities.get(storageClassName) ?? new Map<string, CSIStorageCapacity>();
    ofClass.set(formatKey(keyOf(capacity)), capacity);
    this.#capacities.set(storageClassName, ofClass);
  }

  removeCapacity(capacity: CSIStorageCapacity): void {
    const { storageClassName } = capacity;
    const ofClass = this.#capacities.get(storageClassName);
    ofClass?.delete(formatKey(keyOf(capacity)));
    if (ofClass?.size === 0) this.#capacities.delete(storageClassName);
  }

  /** An attachment never changes its volume or its node. */
  putAttachment({ metadata, spec }: VolumeAttachment): void {
    const { persistentVolumeName = "" } = spec.source;
    if (persistentVolumeName === "") return;
    const ofNode = this.#attached.get(spec.nodeName) ?? new Map<string, string>();
    ofNode.set(metadata.name ?? "", persistentVolumeName);
    this.#attached.set(spec.nodeName, ofNode);
  }

  removeAttachment({ metadata, spec }: VolumeAttachment): void {
    const ofNode = this.#attached.get(spec.nodeName);
    ofNode?.delete(metadata.name ?? "");
    if (ofNode?.size === 0) this.#attached.delete(spec.nodeName);
  }

  /** The next decision sees the objects of the reservation as if they were written. */
  reserve({ volumes, claims }: Reservation): void {
    for (const volume of volumes) this.#volumes.assume(volume);
    for (const claim of claims) this.#claims.assume(claim);
  }

  /**
   * Withdraws a reservation, except for objects of which the informer has shown a newer version.
   */
  release({ volumes, claims }: Reservation): void {
    for (const volume of volumes) this.#volumes.release(volume);
    for (const claim of claims) this.#claims.release(claim);
  }
}
