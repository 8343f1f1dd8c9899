import {
  compareQuantities,
  formatTimestamp,
  type PersistentVolumeClaim,
  type PersistentVolumeClaimCondition,
} from "@kintsugi/api";

// The growth of a claim, as upstream's external-resizer and kubelet share it (KEP-1790). Its state
// is in `status.allocatedResourceStatuses.storage`, its size in `allocatedResources`:
//
//   request > capacity ─► ControllerResizeInProgress ─► (disk grown) ─► NodeResizePending
//     ─► NodeResizeInProgress ─► (file system grown) ─► capacity = size, no state
//   a driver that will never grow it ─► ControllerResizeInfeasible or NodeResizeInfeasible

type ClaimStatus = NonNullable<PersistentVolumeClaim["status"]>;

/** A state of `allocatedResourceStatuses`. */
export type GrowthState =
  | "ControllerResizeInProgress"
  | "ControllerResizeInfeasible"
  | "NodeResizePending"
  | "NodeResizeInProgress"
  | "NodeResizeInfeasible";

/** One step of a claim's growth; `message` explains the condition of its state. */
export interface GrowthStep {
  readonly state: GrowthState;
  /** The target size, a quantity. */
  readonly size: string;
  readonly nowMs: number;
  readonly message?: string;
}

const conditionTypes = ["Resizing", "FileSystemResizePending", "ControllerResizeError", "NodeResizeError"];

const conditionOf: Readonly<Record<GrowthState, string>> = {
  ControllerResizeInProgress: "Resizing",
  ControllerResizeInfeasible: "ControllerResizeError",
  NodeResizePending: "FileSystemResizePending",
  NodeResizeInProgress: "Resizing",
  NodeResizeInfeasible: "NodeResizeError",
};

/** Returns the state of the claim's growth; undefined if the claim is not growing. */
export function growthStateOf({ status }: PersistentVolumeClaim): GrowthState | undefined {
  return status?.allocatedResourceStatuses?.["storage"] as GrowthState | undefined;
}

/** Returns the size to which a bound claim should grow; undefined when it already has that size. */
export function growthWanted({ spec, status }: PersistentVolumeClaim): string | undefined {
  const [wanted, has] = [spec?.resources?.requests?.["storage"], status?.capacity?.["storage"]];
  if (status?.phase !== "Bound" || wanted === undefined || has === undefined) return undefined;
  return compareQuantities(wanted, has) > 0 ? wanted : undefined;
}

/** Returns the status with the state, its size and its condition. */
export function withGrowth({ status }: PersistentVolumeClaim, step: GrowthStep): ClaimStatus {
  const type = conditionOf[step.state];
  const before = status?.conditions?.find((condition) => condition.type === type);
  const condition: PersistentVolumeClaimCondition = {
    type,
    status: "True",
    lastTransitionTime: before?.lastTransitionTime ?? formatTimestamp(step.nowMs),
    ...(step.message === undefined ? {} : { message: step.message }),
  };
  return {
    ...status,
    allocatedResources: { ...status?.allocatedResources, storage: step.size },
    allocatedResourceStatuses: { ...status?.allocatedResourceStatuses, storage: step.state },
    conditions: [...otherConditions(status), condition],
  };
}

/** Returns the status of a claim that has grown to the size, without state and condition. */
export function withGrownSize({ status }: PersistentVolumeClaim, size: string): ClaimStatus {
  const { storage: _state, ...states } = status?.allocatedResourceStatuses ?? {};
  return {
    ...status,
    capacity: { ...status?.capacity, storage: size },
    allocatedResources: { ...status?.allocatedResources, storage: size },
    allocatedResourceStatuses: states,
    conditions: otherConditions(status),
  };
}

function otherConditions(status: ClaimStatus | undefined): PersistentVolumeClaimCondition[] {
  return (status?.conditions ?? []).filter(({ type }) => !conditionTypes.includes(type));
}
