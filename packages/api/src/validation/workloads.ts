import type { ReplicaSet } from "../kinds/apps/replica-set.ts";
import type { Scale } from "../kinds/autoscaling/scale.ts";
import type { PodTemplateSpec } from "../kinds/pod/pod-template.ts";
import type { PodDisruptionBudget } from "../kinds/policy/pod-disruption-budget.ts";
import type { LabelSelector } from "../meta/label-selector-type.ts";
import { matchesLabels, toSelector } from "../meta/label-selector.ts";
import { sameJson } from "../values/json.ts";
import type { Faults } from "./faults.ts";
import { validateLabelSelector } from "./labels.ts";
import { validatePodTemplate } from "./pod/pod.ts";

export function validateReplicaSet({ spec }: ReplicaSet, faults: Faults): void {
  if (spec === undefined) return faults.required("spec.selector");
  const { selector, template } = spec;
  faults.notNegative("spec.replicas", spec.replicas);
  faults.notNegative("spec.minReadySeconds", spec.minReadySeconds);
  validateLabelSelector(selector, "spec.selector", faults);
  if (isEmptySelector(selector)) faults.required("spec.selector");
  if (template === undefined) return faults.required("spec.template");
  validateReplicatedTemplate(selector, template, faults);
}

export function isEmptySelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length + matchExpressions.length === 0;
}

/** What pods are made from, at `spec.template`: the selector has to find them, and they have to be made to last. */
export function validateReplicatedTemplate(selector: LabelSelector, template: PodTemplateSpec, faults: Faults): void {
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
    const detail = "activeDeadlineSeconds in ReplicaSet is not Supported";
    faults.forbidden("spec.template.spec.activeDeadlineSeconds", detail);
  }
}

export function validateReplicaSetUpdate(after: ReplicaSet, before: ReplicaSet, faults: Faults): void {
  const [next, previous] = [after.spec?.selector, before.spec?.selector];
  faults.immutable("spec.selector", next, sameJson(next, previous));
}

export function validateReplicaSetStatus({ status }: ReplicaSet, faults: Faults): void {
  if (status === undefined) return;
  const { replicas, readyReplicas = 0 } = status;
  const counts = [
    "replicas",
    "fullyLabeledReplicas",
    "readyReplicas",
    "availableReplicas",
    "observedGeneration",
  ] as const;
  for (const field of counts) faults.notNegative(`status.${field}`, status[field]);
  for (const field of ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"] as const) {
    const count = status[field] ?? 0;
    if (count > replicas) faults.invalid(`status.${field}`, count, "cannot be greater than status.replicas");
  }
  validateAvailableCount(status.availableReplicas ?? 0, readyReplicas, faults);
}

export function validateAvailableCount(available: number, ready: number, faults: Faults): void {
  if (available <= ready) return;
  faults.invalid("status.availableReplicas", available, "cannot be greater than readyReplicas");
}

export function validateScale({ spec }: Scale, faults: Faults): void {
  faults.notNegative("spec.replicas", spec?.replicas);
}

const evictionPolicies = ["AlwaysAllow", "IfHealthyBudget"];

export function validatePodDisruptionBudget({ spec = {} }: PodDisruptionBudget, faults: Faults): void {
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy: policy } = spec;
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    faults.invalid("spec", spec, "minAvailable and maxUnavailable cannot be both set");
  }
  validateCountOrShare(minAvailable, "spec.minAvailable", faults);
  validateCountOrShare(maxUnavailable, "spec.maxUnavailable", faults);
  if (policy !== undefined && !evictionPolicies.includes(policy)) {
    faults.notSupported("spec.unhealthyPodEvictionPolicy", policy, evictionPolicies);
  }
  validateLabelSelector(spec.selector, "spec.selector", faults);
}

/** A count of pods, or a share such as `50%`, of which there is at most all. */
export function validateCountOrShare(value: number | string | undefined, path: string, faults: Faults): void {
  validateCountOrPercent(value, path, faults);
  if (typeof value === "string" && /^[0-9]+%$/.test(value) && Number(value.slice(0, -1)) > 100) {
    faults.invalid(path, value, "must not be greater than 100%");
  }
}

/** A count of pods, or a percentage of another count. */
export function validateCountOrPercent(value: number | string | undefined, path: string, faults: Faults): void {
  if (typeof value === "number") return faults.notNegative(path, value);
  if (value === undefined) return;
  if (!/^[0-9]+%$/.test(value)) {
    const detail =
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
    faults.invalid(path, value, detail);
  }
}
