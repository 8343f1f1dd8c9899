import { bytesQuantity, memoryBytes, type PersistentVolume, type PersistentVolumeClaim } from "@kintsugi/api";
import type { ControllerExpandRequest } from "@kintsugi/csi";
import { type GrowthState, growthStateOf, growthWanted } from "@kintsugi/rules";
import { capabilitiesOf } from "../capabilities.ts";

/** The next step of a claim's growth; undefined when the driver's controller has no step. */
export type ResizePlan =
  /** The disk has to grow to the size, a quantity. */
  | { readonly kind: "expand"; readonly size: string; readonly request: ControllerExpandRequest }
  /** The disk has grown, but the answer or a later write was lost. */
  | { readonly kind: "grown"; readonly size: string }
  | undefined;

/** The node has the next step in these states. */
const statesOfNode: readonly (GrowthState | undefined)[] = ["NodeResizePending", "NodeResizeInProgress"];

/** Returns the step for which a bound claim of the driver waits (external-resizer). */
export function planResize(claim: PersistentVolumeClaim, volume: PersistentVolume): ResizePlan {
  const size = growthWanted(claim);
  if (size === undefined || claim.metadata.deletionTimestamp !== undefined) return undefined;
  const { csi, accessModes, volumeMode, capacity, claimRef } = volume.spec ?? {};
  if (csi === undefined || claimRef?.uid !== claim.metadata.uid) return undefined;
  const state = growthStateOf(claim);
  // The node applies one size after another, so a claim that is changed in the meantime continues
  // afterwards.
  if (statesOfNode.includes(state)) return undefined;
  const [wantedBytes, hasBytes] = [memoryBytes(size), memoryBytes(capacity?.["storage"])];
  if (hasBytes >= wantedBytes) return { kind: "grown", size: bytesQuantity(hasBytes) };
  if (state === "ControllerResizeInfeasible" && claim.status?.allocatedResources?.["storage"] === size)
    return undefined;
  const [volumeCapability] = capabilitiesOf({ accessModes, volumeMode, fsType: csi.fsType ?? "" });
  return {
    kind: "expand",
    size,
    request: {
      volumeId: csi.volumeHandle,
      capacityRange: { requiredBytes: wantedBytes, limitBytes: 0 },
      volumeCapability,
    },
  };
}
