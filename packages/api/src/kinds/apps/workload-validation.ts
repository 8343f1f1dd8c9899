import type { PodTemplateSpec } from "../core/pod/spec/pod-template.ts";
import type { LabelSelector } from "../../meta/label-selector-type.ts";
import { matchesLabels, toSelector } from "../../meta/label-selector.ts";
import type { Faults } from "../../validation/faults.ts";
import { validatePodTemplate } from "../core/pod/validation/pod-template.ts";

export function isEmptySelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length + matchExpressions.length === 0;
}

/**
 * Validates `spec.template`, from which pods are made: the selector has to match the pods, and
 * their restart policy has to be Always.
 */
export function validateReplicatedTemplate(selector: LabelSelector, template: PodTemplateSpec, faults: Faults): void {
  validateLastingTemplate(selector, template, { owner: "ReplicaSet", faults });
}

/**
 * The rules of `validateReplicatedTemplate` for owners other than workloads with replicas; one of
 * upstream's messages names the owner.
 */
export function validateLastingTemplate(
  selector: LabelSelector,
  template: PodTemplateSpec,
  { owner, faults }: { owner: string; faults: Faults },
): void {
  const labels = template.metadata?.labels ?? {};
  if (!isEmptySelector(selector) && !matchesLabels(toSelector(selector), labels)) {
    faults.invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`");
  }
  validatePodTemplate(template, "spec.template", faults);
  const policy = template.spec?.restartPolicy;
  if (policy !== undefined && policy !== "Always") {
    faults.notSupported("spec.template.spec.restartPolicy", policy, ["Always"]);
  }
  if (template.spec?.activeDeadlineSeconds !== undefined) {
    const detail = `activeDeadlineSeconds in ${owner} is not Supported`;
    faults.forbidden("spec.template.spec.activeDeadlineSeconds", detail);
  }
}

interface ReplicaCounts {
  replicas: number;
  fullyLabeledReplicas?: number | undefined;
  readyReplicas?: number | undefined;
  availableReplicas?: number | undefined;
  observedGeneration?: number | undefined;
}

/** Validates the status of a kind that counts its pods: a part never exceeds the whole. */
export function validateReplicaCounts(status: ReplicaCounts, faults: Faults): void {
  const parts = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"] as const;
  for (const field of ["replicas", ...parts, "observedGeneration"] as const) {
    faults.notNegative(`status.${field}`, status[field]);
  }
  validateCountsWithinReplicas(status, parts, faults);
  validateAvailableCount(status.availableReplicas ?? 0, status.readyReplicas ?? 0, faults);
}

export function validateAvailableCount(available: number, ready: number, faults: Faults): void {
  if (available <= ready) return;
  faults.invalid("status.availableReplicas", available, "cannot be greater than readyReplicas");
}

/** A number of pods, or a percentage such as `50%`, which is at most 100%. */
export function validateCountOrShare(value: number | string | undefined, path: string, faults: Faults): void {
  validateCountOrPercent(value, path, faults);
  if (typeof value === "string" && /^[0-9]+%$/.test(value) && Number(value.slice(0, -1)) > 100) {
    faults.invalid(path, value, "must not be greater than 100%");
  }
}

/** A number of pods, or a percentage of another number. */
export function validateCountOrPercent(value: number | string | undefined, path: string, faults: Faults): void {
  if (typeof value === "number") return faults.notNegative(path, value);
  if (value === undefined) return;
  if (!/^[0-9]+%$/.test(value)) {
    const detail =
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
    faults.invalid(path, value, detail);
  }
}

/** Numbers in a status that are parts of its `replicas`. */
export function validateCountsWithinReplicas<Field extends string>(
  status: ({ replicas?: number | undefined } & { [Name in Field]?: number | undefined }) | undefined,
  fields: readonly Field[],
  faults: Faults,
): void {
  for (const field of fields) {
    const count = status?.[field] ?? 0;
    if (count > (status?.replicas ?? 0)) {
      faults.invalid(`status.${field}`, count, "cannot be greater than status.replicas");
    }
  }
}

/** Reports whether a number of pods or a percentage is absent or zero. */
export function isNone(value: number | string | undefined): boolean {
  return value === 0 || value === undefined || (typeof value === "string" && /^0+%$/.test(value));
}

/** A controller with a lower count would retry names that were taken. */
export function validateCollisionCount(
  after: { collisionCount?: number | undefined } | undefined,
  before: { collisionCount?: number | undefined } | undefined,
  faults: Faults,
): void {
  if (before?.collisionCount === undefined) return;
  const count = after?.collisionCount ?? 0;
  if (after?.collisionCount !== undefined && count >= before.collisionCount) return;
  faults.invalid("status.collisionCount", count, "cannot be decremented");
}
