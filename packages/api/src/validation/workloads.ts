import type { ReplicaSet } from "../kinds/apps/replica-set.ts";
import type { Scale } from "../kinds/autoscaling/scale.ts";
import type { PodDisruptionBudget } from "../kinds/policy/pod-disruption-budget.ts";
import { matchesLabels, toSelector } from "../meta/label-selector.ts";
import { sameJson } from "../meta/json.ts";
import type { Faults } from "./faults.ts";
import { validateLabelSelector } from "./labels.ts";
import { validatePodTemplate } from "./pod/pod.ts";

export function validateReplicaSet({ spec }: ReplicaSet, faults: Faults): void {
  if (spec === undefined) return faults.required("spec.selector");
  const { selector, template } = spec;
  faults.notNegative("spec.replicas", spec.replicas);
  faults.notNegative("spec.minReadySeconds", spec.minReadySeconds);
  validateLabelSelector(selector, "spec.selector", faults);
  const isEmpty = Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;
  if (isEmpty) faults.required("spec.selector");
  if (template === undefined) return faults.required("spec.template");
  const labels = template.metadata?.labels ?? {};
  if (!isEmpty && !matchesLabels(toSelector(selector), labels)) {
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
  const available = status.availableReplicas ?? 0;
  if (available > readyReplicas) {
    faults.invalid("status.availableReplicas", available, "cannot be greater than readyReplicas");
  }
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

/** A count of pods, or a share such as `50%`. */
function validateCountOrShare(value: number | string | undefined, path: string, faults: Faults): void {
  if (typeof value === "number") return faults.notNegative(path, value);
  if (value === undefined) return;
  if (!/^[0-9]+%$/.test(value)) {
    const detail =
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
    faults.invalid(path, value, detail);
  } else if (Number(value.slice(0, -1)) > 100) faults.invalid(path, value, "must not be greater than 100%");
}
