import { podDeletionCostAnnotation } from "../../../../meta/well-known-labels.ts";
import type { Pod } from "../pod.ts";
import type { PodSpec } from "../spec/pod-spec.ts";
import { checkSubdomain1123 } from "../../../../values/names.ts";
import { configAnnotations } from "../rules/static-pod.ts";
import type { Faults } from "../../../../validation/faults.ts";
import { validateObjectMeta } from "../../../../validation/object-meta.ts";
import { validateOwnAnnotations } from "./own-annotations.ts";
import { validatePodSpec } from "./pod-spec.ts";

const mirrorAnnotation = configAnnotations.mirror;

const emptySpec: PodSpec = { containers: [] };

export function validatePodCreate(pod: Pod, faults: Faults): void {
  validatePod(pod, faults);
  const { spec = emptySpec } = pod;
  if ((spec.ephemeralContainers ?? []).length > 0) {
    faults.forbidden("spec.ephemeralContainers", "cannot be set on create");
  }
  if ((spec.nodeName ?? "") !== "" && (spec.schedulingGates ?? []).length > 0) {
    faults.forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared");
  }
}

/** Validates the rules that apply to every pod, new or changed. */
export function validatePod(pod: Pod, faults: Faults): void {
  const { metadata, spec = emptySpec } = pod;
  validateObjectMeta(metadata, { namespaced: true, checkName: checkSubdomain1123 }, faults);
  validatePodAnnotations(pod, faults);
  validatePodSpec(spec, { path: "spec", podName: metadata.name ?? "", isTemplate: false }, faults);
  if ((spec.serviceAccountName ?? "") !== "") return;
  for (const [index, volume] of (spec.volumes ?? []).entries()) {
    for (const [place, source] of (volume.projected?.sources ?? []).entries()) {
      if (source.serviceAccountToken === undefined) continue;
      const path = `spec.volumes[${index}].projected.sources[${place}].serviceAccountToken`;
      faults.forbidden(path, "must not be specified when serviceAccountName is not set");
    }
  }
}

function validatePodAnnotations({ metadata, spec }: Pod, faults: Faults): void {
  const annotations = metadata.annotations ?? {};
  validateOwnAnnotations(annotations, "metadata.annotations", faults);
  const mirror = annotations[mirrorAnnotation];
  if (mirror !== undefined && (spec?.nodeName ?? "") === "") {
    const detail = "must set spec.nodeName if mirror pod annotation is set";
    faults.invalid(`metadata.annotations[${mirrorAnnotation}]`, mirror, detail);
  }
  const cost = annotations[podDeletionCostAnnotation];
  if (cost !== undefined && !isCost(cost)) {
    faults.invalid(`metadata.annotations[${podDeletionCostAnnotation}]`, cost, "must be a 32bit integer");
  }
}

function isCost(text: string): boolean {
  return /^(?:0|-?[1-9][0-9]{0,9})$/.test(text) && Math.abs(Number(text)) <= 2 ** 31 - 1;
}
