import {
  formatTimestamp,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type PersistentVolumeClaimCondition,
} from "@kintsugi/api";

// The change of a claim to another VolumeAttributesClass, as upstream's external-resizer writes it
// (KEP-3751). Its state is in `status.modifyVolumeStatus`:
//
//   spec names a missing class ─► Pending ─► (it is created) ─► InProgress
//     ─► (driver has modified the volume) ─► the volume's class ─► the claim's current class
//   a driver that rejects the class ─► Infeasible, and another attempt later

type ClaimStatus = NonNullable<PersistentVolumeClaim["status"]>;

export type ModificationState = "Pending" | "InProgress" | "Infeasible";

const conditionTypes = ["ModifyingVolume", "ModifyVolumeError"];

/**
 * Returns the class to which a bound claim should change; undefined when claim and volume have the
 * class, and no change is in progress. The class of a volume may differ from the class that its
 * status reports, after a change whose answer was lost.
 */
export function modificationWanted(
  { spec, status }: PersistentVolumeClaim,
  volume: PersistentVolume,
): string | undefined {
  const wanted = spec?.volumeAttributesClassName ?? "";
  if (wanted === "" || status?.phase !== "Bound") return undefined;
  const isSettled =
    volume.spec?.volumeAttributesClassName === wanted &&
    status.currentVolumeAttributesClassName === wanted &&
    status.modifyVolumeStatus === undefined;
  return isSettled ? undefined : wanted;
}

export interface ModificationStep {
  readonly state: ModificationState;
  /** The target class. */
  readonly className: string;
  readonly nowMs: number;
  /** The fault of the last attempt, with the driver's text. */
  readonly fault?: string;
}

/** Returns the status with the state and its conditions. */
export function withModification({ status }: PersistentVolumeClaim, step: ModificationStep): ClaimStatus {
  const { state, className, nowMs, fault } = step;
  const target = state === "Pending" ? status?.modifyVolumeStatus?.targetVolumeAttributesClassName : className;
  const modifyVolumeStatus = {
    status: state,
    ...(target === undefined ? {} : { targetVolumeAttributesClassName: target }),
  };
  // A class that does not exist yet does not change conditions.
  if (state === "Pending") return { ...status, modifyVolumeStatus };
  const condition = (type: string, message: string): PersistentVolumeClaimCondition => {
    const before = status?.conditions?.find((each) => each.type === type);
    return { type, status: "True", lastTransitionTime: before?.lastTransitionTime ?? formatTimestamp(nowMs), message };
  };
  const failed = `ModifyVolume failed with error: ${fault}. Waiting for retry.`;
  const progress = state === "InProgress" ? "ModifyVolume operation in progress." : failed;
  return {
    ...status,
    modifyVolumeStatus,
    conditions: [
      ...otherConditions(status),
      condition("ModifyingVolume", progress),
      ...(fault === undefined ? [] : [condition("ModifyVolumeError", failed)]),
    ],
  };
}

/** Returns the status of a claim whose volume has the class, without state and condition. */
export function withModified({ status }: PersistentVolumeClaim, className: string): ClaimStatus {
  const { modifyVolumeStatus: _, ...rest } = status ?? {};
  return { ...rest, currentVolumeAttributesClassName: className, conditions: otherConditions(status) };
}

function otherConditions(status: ClaimStatus | undefined): PersistentVolumeClaimCondition[] {
  return (status?.conditions ?? []).filter(({ type }) => !conditionTypes.includes(type));
}

/**
 * Returns the classes that a claim names: the wanted class, its current class and the target class.
 */
export function attributesClassesOf({ spec, status }: PersistentVolumeClaim): string[] {
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(names.filter((name) => name !== undefined && name !== ""))] as string[];
}
