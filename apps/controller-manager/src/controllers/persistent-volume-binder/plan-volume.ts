import type { PersistentVolume, PersistentVolumeClaim } from "@kintsugi/api";
import { boundByControllerAnnotation, provisionedByAnnotation } from "@kintsugi/rules";
import { type BinderEvent, type BinderPlan, nothing } from "./binder-plan.ts";

/**
 * Returns the next write for a volume; `claim` is the object that its claimRef names, if it exists.
 */
export function planVolume(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): BinderPlan {
  const ref = volume.spec?.claimRef;
  if (ref === undefined || (ref.uid ?? "") === "") return planPhase(volume, "Available");
  // A later claim of the same name has no right to the data.
  if (claim === undefined || claim.metadata.uid !== ref.uid) return planRelease(volume);
  const named = claim.spec?.volumeName ?? "";
  // The plan of the claim finishes this binding.
  if (named === "") return nothing;
  if (named === volume.metadata.name) return planPhase(volume, "Bound");
  const isProvisioned = volume.metadata.annotations?.[provisionedByAnnotation] !== undefined;
  if (isProvisioned && volume.spec?.persistentVolumeReclaimPolicy === "Delete") return planRelease(volume);
  return planUnbinding(volume);
}

/** Plans the release of a volume whose claim was bound to another volume. */
function planUnbinding(volume: PersistentVolume): BinderPlan {
  const { annotations = {} } = volume.metadata;
  const { claimRef, ...spec } = volume.spec ?? {};
  if (annotations[boundByControllerAnnotation] === undefined) {
    const { uid: _old, ...reserved } = claimRef ?? {};
    return { write: { of: "volume", object: { ...volume, spec: { ...spec, claimRef: reserved } } }, events: [] };
  }
  const { [boundByControllerAnnotation]: _bound, ...others } = annotations;
  const metadata = { ...volume.metadata, annotations: others };
  return { write: { of: "volume", object: { ...volume, metadata, spec } }, events: [] };
}

function planRelease(volume: PersistentVolume): BinderPlan {
  const { phase } = volume.status ?? {};
  // A volume with phase Failed remains Failed.
  if (phase === "Failed") return nothing;
  if (phase !== "Released") return planPhase(volume, "Released");
  return planReclaim(volume);
}

function planReclaim(volume: PersistentVolume): BinderPlan {
  const policy = volume.spec?.persistentVolumeReclaimPolicy ?? "Retain";
  if (policy === "Recycle") {
    return planFailure(volume, "VolumeFailedRecycle", "No recycler plugin found for the volume!");
  }
  // The provisioner that made the volume deletes it; this program cannot delete any other volume.
  const isProvisioned = volume.metadata.annotations?.[provisionedByAnnotation] !== undefined;
  if (policy !== "Delete" || isProvisioned) return nothing;
  const message = `error getting deleter volume plugin for volume "${volume.metadata.name}": no deletable volume plugin matched`;
  return planFailure(volume, "VolumeFailedDelete", message);
}

function planFailure(volume: PersistentVolume, reason: string, message: string): BinderPlan {
  return planPhase(volume, "Failed", { type: "Warning", reason, message });
}

function planPhase(volume: PersistentVolume, phase: string, event?: BinderEvent): BinderPlan {
  if (volume.status?.phase === phase) return nothing;
  // The API server sets the time of the change.
  const status = { phase, ...(event === undefined ? {} : { message: event.message }) };
  const events = event === undefined ? [] : [event];
  return { write: { of: "volume status", object: { ...volume, status } }, events };
}
