import { podDeletionCostAnnotation } from "../../../../meta/well-known-labels.ts";
import type { Binding } from "../../binding/binding.ts";
import type { Pod } from "../pod.ts";
import type { PodSpec } from "../spec/pod-spec.ts";
import type { PodTemplateSpec } from "../spec/pod-template.ts";
import { parsePodBackoff, podBackoffAnnotation } from "../rules/pod-restart.ts";
import { parsePodEscalation, podEscalationAnnotation } from "../rules/pod-escalation.ts";
import { parsePodFence, podFenceAnnotation } from "../rules/pod-fence.ts";
import { checkSubdomain1123 } from "../../../../values/names.ts";
import { configAnnotations } from "../rules/static-pod.ts";
import type { Faults } from "../../../../validation/faults.ts";
import { validateAnnotations, validateLabels } from "../../../../validation/labels.ts";
import { validateObjectMeta } from "../../../../validation/object-meta.ts";
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

/** A template's pods get their names and are validated again when they are created. */
export function validatePodTemplate(template: PodTemplateSpec, path: string, faults: Faults): void {
  validatePodTemplateMetadata(template, path, faults);
  const { spec = emptySpec } = template;
  validatePodSpec(spec, { path: `${path}.spec`, podName: "", isTemplate: true }, faults);
  if ((spec.ephemeralContainers ?? []).length > 0) {
    faults.forbidden(`${path}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template");
  }
}

/** The labels and annotations that pods inherit from a template. */
export function validatePodTemplateMetadata({ metadata }: PodTemplateSpec, path: string, faults: Faults): void {
  validateLabels(metadata?.labels, `${path}.labels`, faults);
  validateAnnotations(metadata?.annotations, `${path}.annotations`, faults);
  validateOwnAnnotations(metadata?.annotations ?? {}, `${path}.annotations`, faults);
}

export function validateBinding({ target }: Binding, faults: Faults): void {
  const { kind = "", name = "" } = target;
  if (kind !== "" && kind !== "Node") faults.notSupported("target.kind", kind, ["Node", "<empty>"]);
  if (name === "") faults.required("target.name");
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

/**
 * Validates Kintsugi's own annotations. Pods inherit them from a template, and every pod of a
 * faulty template would be rejected.
 */
function validateOwnAnnotations(annotations: Readonly<Record<string, string>>, path: string, faults: Faults): void {
  const readers = [
    [podBackoffAnnotation, parsePodBackoff],
    [podEscalationAnnotation, parsePodEscalation],
    [podFenceAnnotation, parsePodFence],
  ] as const;
  for (const [name, read] of readers) {
    const text = annotations[name];
    if (text === undefined) continue;
    try {
      read(text);
    } catch (error) {
      faults.invalid(`${path}[${name}]`, text, (error as Error).message);
    }
  }
}

function isCost(text: string): boolean {
  return /^(?:0|-?[1-9][0-9]{0,9})$/.test(text) && Math.abs(Number(text)) <= 2 ** 31 - 1;
}
