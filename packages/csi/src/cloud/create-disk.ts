import { RpcError } from "@kintsugi/grpc";
import type { CapacityRange, CreateVolumeRequest, Topology, VolumeCapability } from "../messages.ts";
import { type CloudNode, type CloudOptions, type CloudDisk, freeBytes, type Books } from "./books.ts";
import { withAttributes } from "./attributes.ts";
import { required } from "./required.ts";

export interface Cloud {
  readonly driverName: string;
  readonly nodes: readonly CloudNode[];
  readonly options: CloudOptions;
}

/** Returns the label by which nodes state their zone to the driver. */
export function zoneKey(driverName: string): string {
  return `topology.${driverName}/zone`;
}

/** The disk can be attached to a single node at a time. */
const supportedModes: readonly string[] = [
  "SINGLE_NODE_WRITER",
  "SINGLE_NODE_READER_ONLY",
  "SINGLE_NODE_SINGLE_WRITER",
  "SINGLE_NODE_MULTI_WRITER",
];
const fileSystems: readonly string[] = ["", "ext4"];

/**
 * Returns the reason why the cloud does not have such disks; undefined for supported capabilities.
 */
export function capabilityFault(capabilities: readonly VolumeCapability[]): string | undefined {
  for (const { mount, block, accessMode } of capabilities) {
    if ((mount === undefined) === (block === undefined)) return "a capability needs an access type: mount or block";
    const mode = accessMode?.mode ?? "UNKNOWN";
    if (!supportedModes.includes(mode)) return `access mode ${mode} is not supported: a disk is attached to one node`;
    if (mount !== undefined && !fileSystems.includes(mount.fsType)) return `fsType "${mount.fsType}" is not supported`;
  }
  return undefined;
}

/**
 * Returns the disk for the request: the disk of that name if it is suitable, otherwise a new disk
 * under `newId`. @throws RpcError by the rules of CreateVolume.
 */
export function createDisk(
  books: Books,
  cloud: Cloud,
  call: { request: CreateVolumeRequest; newId: string },
): CloudDisk {
  const { request, newId } = call;
  const { volumeCapabilities: capabilities } = request;
  const name = required(request.name, "name");
  if (capabilities.length === 0) throw new RpcError("INVALID_ARGUMENT", "volume_capabilities are required");
  const fault = capabilityFault(capabilities);
  if (fault !== undefined) throw new RpcError("INVALID_ARGUMENT", fault);
  const present = Object.values(books.disks).find((disk) => disk.name === name);
  const mutable = request.mutableParameters ?? {};
  // The class of a claim may have changed since an attempt whose answer was lost.
  if (present !== undefined) return withAttributes(suiting(present, request), mutable);
  const capacityBytes = capacityFor(request.capacityRange, cloud.options, sizeOfSource(books, request));
  const { snapshot, volume } = request.volumeContentSource ?? {};
  const disk: CloudDisk = {
    id: newId,
    name,
    capacityBytes,
    zone: chooseZone(books, cloud, { capacityBytes, requirements: request.accessibilityRequirements }),
    isBlock: capabilities.some(({ block }) => block !== undefined),
    accessModes: capabilities.map(({ accessMode }) => accessMode?.mode ?? "UNKNOWN"),
    ...(snapshot === undefined ? {} : { fromSnapshot: snapshot.snapshotId }),
    ...(volume === undefined ? {} : { fromVolume: volume.volumeId }),
  };
  return withAttributes(disk, mutable);
}

/** Returns the size within the range. @throws RpcError OUT_OF_RANGE for an empty range. */
export function capacityFor(range: CapacityRange | undefined, options: CloudOptions, leastBytes = 0): number {
  const { requiredBytes = 0, limitBytes = 0 } = range ?? {};
  if (requiredBytes < 0 || limitBytes < 0 || (limitBytes > 0 && limitBytes < requiredBytes))
    throw new RpcError("OUT_OF_RANGE", `no size is at least ${requiredBytes} and at most ${limitBytes} bytes`);
  const fallback = limitBytes > 0 ? Math.min(limitBytes, options.defaultDiskBytes) : options.defaultDiskBytes;
  const wanted = Math.max(requiredBytes > 0 ? requiredBytes : fallback, leastBytes);
  const bytes = Math.max(1, Math.ceil(wanted / options.sizeStepBytes)) * options.sizeStepBytes;
  if (bytes > options.diskBytesMax)
    throw new RpcError("OUT_OF_RANGE", `a disk has at most ${options.diskBytesMax} bytes`);
  if (limitBytes > 0 && bytes > limitBytes)
    throw new RpcError(
      "OUT_OF_RANGE",
      `disks are multiples of ${options.sizeStepBytes} bytes: ${bytes} is over the limit`,
    );
  return bytes;
}

function sizeOfSource({ disks, snapshots }: Books, { volumeContentSource }: CreateVolumeRequest): number {
  const { snapshot, volume } = volumeContentSource ?? {};
  if (snapshot !== undefined) {
    const { snapshotId } = snapshot;
    const found = Object.hasOwn(snapshots, snapshotId) ? snapshots[snapshotId] : undefined;
    if (found === undefined) throw new RpcError("NOT_FOUND", `snapshot ${snapshot.snapshotId} does not exist`);
    return found.sizeBytes;
  }
  if (volume === undefined) return 0;
  const found = Object.hasOwn(disks, volume.volumeId) ? disks[volume.volumeId] : undefined;
  if (found === undefined) throw new RpcError("NOT_FOUND", `volume ${volume.volumeId} does not exist`);
  return found.capacityBytes;
}

/** The name is used, so the disk must match the request. */
function suiting(disk: CloudDisk, request: CreateVolumeRequest): CloudDisk {
  const { requiredBytes = 0, limitBytes = 0 } = request.capacityRange ?? {};
  const fits = disk.capacityBytes >= requiredBytes && (limitBytes === 0 || disk.capacityBytes <= limitBytes);
  const { snapshot, volume } = request.volumeContentSource ?? {};
  const sameSource = snapshot?.snapshotId === disk.fromSnapshot && volume?.volumeId === disk.fromVolume;
  if (fits && sameSource) return disk;
  throw new RpcError("ALREADY_EXISTS", `a different volume with the name ${disk.name} exists`);
}

interface Placement {
  readonly capacityBytes: number;
  readonly requirements: CreateVolumeRequest["accessibilityRequirements"];
}

/**
 * Preferred zones are first, in their order; then the other zones, the zone with the most free
 * space first.
 */
function chooseZone(books: Books, { driverName, nodes, options }: Cloud, placement: Placement): string {
  const { capacityBytes, requirements } = placement;
  const key = zoneKey(driverName);
  const zonesIn = (list: readonly Topology[] | undefined) =>
    (list ?? []).flatMap(({ segments }) => (segments[key] === undefined ? [] : [segments[key]]));
  const preferred = zonesIn(requirements?.preferred);
  const requisite = zonesIn(requirements?.requisite);
  const known = [...new Set(nodes.map(({ zone }) => zone))].sort();
  const all = requisite.length > 0 ? requisite : known;
  const room = (zone: string) => freeBytes(books, zone, options);
  const others = [...all].sort((a, b) => room(b) - room(a));
  const candidates = [...preferred.filter((zone) => requisite.length === 0 || requisite.includes(zone)), ...others];
  if (candidates.length === 0) candidates.push("");
  const chosen = candidates.find((zone) => room(zone) >= capacityBytes);
  if (chosen !== undefined) return chosen;
  throw new RpcError("RESOURCE_EXHAUSTED", `no zone has ${capacityBytes} bytes left (zones: ${candidates.join(", ")})`);
}
