import {
  classOfClaim,
  classOfVolume,
  compareQuantities,
  matchesLabels,
  type PersistentVolume,
  type PersistentVolumeClaim,
  toSelector,
} from "@kintsugi/api";

/** Reports whether the volume is reserved for the claim, or bound to it. */
export function isReservedFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const ref = spec?.claimRef;
  if (ref === undefined || ref.name !== metadata.name || ref.namespace !== metadata.namespace) return false;
  return (ref.uid ?? "") === "" || ref.uid === metadata.uid;
}

export interface VolumeChoice {
  /** Volumes that are not reserved for the claim do not count. */
  readonly onlyReserved: boolean;
  /** Reports whether the first pod's node can use the volume; by default every volume counts. */
  readonly admits?: (volume: PersistentVolume) => boolean;
}

/**
 * Returns the most suitable volume for the claim: a volume that is reserved for it, or else the
 * smallest of the volumes with the fewest access modes.
 */
export function findBestVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  { onlyReserved, admits = () => true }: VolumeChoice,
): PersistentVolume | undefined {
  const usable = volumes.filter((volume) => isUsable(volume, claim) && admits(volume));
  const reserved = usable.find((volume) => isReservedFor(volume, claim));
  if (reserved !== undefined || onlyReserved) return reserved;
  return usable.filter((volume) => isFree(volume, claim)).toSorted(byCloseness)[0];
}

/**
 * Returns the reason why a volume that the claim names is unsuitable; undefined if it is suitable.
 */
export function mismatchOf(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  if (sizeOf(volume) === undefined || isTooSmall(volume, claim)) return "requested PV is too small";
  if (classOfClaim(claim) !== classOfVolume(volume)) return "storageClassName does not match";
  if (modeOf(volume) !== modeOf(claim)) return "incompatible volumeMode";
  return hasAccessModes(volume, claim) ? undefined : "incompatible accessMode";
}

function isUsable(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  if (volume.metadata.deletionTimestamp !== undefined || isTooSmall(volume, claim)) return false;
  const sameAttributes =
    (volume.spec?.volumeAttributesClassName ?? "") === (claim.spec?.volumeAttributesClassName ?? "");
  return modeOf(volume) === modeOf(claim) && sameAttributes && hasAccessModes(volume, claim);
}

function isFree(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  if (volume.status?.phase !== "Available" || volume.spec?.claimRef !== undefined) return false;
  if (classOfVolume(volume) !== classOfClaim(claim)) return false;
  const { selector } = claim.spec ?? {};
  return selector === undefined || matchesLabels(toSelector(selector), volume.metadata.labels ?? {});
}

function byCloseness(a: PersistentVolume, b: PersistentVolume): number {
  const modes = (a.spec?.accessModes?.length ?? 0) - (b.spec?.accessModes?.length ?? 0);
  if (modes !== 0) return modes;
  const sizes = compareQuantities(sizeOf(a) ?? "0", sizeOf(b) ?? "0");
  return sizes === 0 ? compareNames(a, b) : sizes;
}

/** Equal volumes are ordered by name, so that a restart chooses the same volume. */
function compareNames(a: PersistentVolume, b: PersistentVolume): number {
  const [left, right] = [a.metadata.name ?? "", b.metadata.name ?? ""];
  return left < right ? -1 : Number(left > right);
}

function isTooSmall(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const requested = claim.spec?.resources?.requests?.["storage"] ?? "0";
  return compareQuantities(sizeOf(volume) ?? "0", requested) < 0;
}

function sizeOf({ spec }: PersistentVolume): string | undefined {
  return spec?.capacity?.["storage"];
}

function modeOf({ spec }: PersistentVolume | PersistentVolumeClaim): string {
  return spec?.volumeMode ?? "Filesystem";
}

function hasAccessModes(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const offered = volume.spec?.accessModes ?? [];
  return (claim.spec?.accessModes ?? []).every((mode) => offered.includes(mode));
}
