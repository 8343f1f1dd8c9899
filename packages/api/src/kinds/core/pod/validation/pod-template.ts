import type { Faults } from "../../../../validation/faults.ts";
import { validateAnnotations, validateLabels } from "../../../../validation/labels.ts";
import type { PodTemplateSpec } from "../spec/pod-template.ts";
import { validateOwnAnnotations } from "./own-annotations.ts";
import { validatePodSpec } from "./pod-spec.ts";

/** A template's pods get their names and are validated again when they are created. */
export function validatePodTemplate(template: PodTemplateSpec, path: string, faults: Faults): void {
  validatePodTemplateMetadata(template, path, faults);
  const { spec = { containers: [] } } = template;
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
