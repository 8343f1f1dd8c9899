import { matchesLabels, toSelector } from "../../../meta/label-selector.ts";
import type { Faults } from "../../../validation/faults.ts";
import { validateLabelSelector } from "../../../validation/labels.ts";
import { sameJson } from "../../../values/json.ts";
import { validatePodTemplateMetadata } from "../../core/pod/validation/pod-template.ts";
import {
  isEmptySelector,
  validateCollisionCount,
  validateCountOrShare,
  validateCountsWithinReplicas,
} from "../workload-validation.ts";
import type {
  RollingUpdateStatefulSetStrategy,
  StatefulSet,
  StatefulSetSpec,
  StatefulSetUpdateStrategy,
} from "./stateful-set.ts";

const managementPolicies = ["OrderedReady", "Parallel"];
const retentionPolicies = ["Retain", "Delete"];

/** The rules follow ValidateStatefulSetSpec in pkg/apis/apps/validation, in its order. */
export function validateStatefulSet({ spec }: StatefulSet, faults: Faults): void {
  if (spec === undefined) return faults.required("spec.selector");
  const { podManagementPolicy: policy = "" } = spec;
  if (policy === ("" as string)) faults.required("spec.podManagementPolicy");
  else if (!managementPolicies.includes(policy)) {
    faults.invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'");
  }
  validateUpdateStrategy(spec.updateStrategy ?? {}, faults);
  validateRetentionPolicy(spec, faults);
  faults.notNegative("spec.replicas", spec.replicas);
  faults.notNegative("spec.minReadySeconds", spec.minReadySeconds);
  faults.notNegative("spec.ordinals.start", spec.ordinals?.start);
  validateLabelSelector(spec.selector, "spec.selector", faults);
  if (isEmptySelector(spec.selector)) {
    faults.invalid("spec.selector", spec.selector, "empty selector is invalid for statefulset");
  }
  validateTemplate(spec, faults);
}

/**
 * The spec of the template is not validated, as in upstream, because the volumes that its
 * containers mount come from claims. If the API rejects a pod, an event of the controller reports
 * it.
 */
function validateTemplate({ selector, template }: StatefulSetSpec, faults: Faults): void {
  const labels = template.metadata?.labels ?? {};
  if (!isEmptySelector(selector) && !matchesLabels(toSelector(selector), labels)) {
    faults.invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`");
  }
  validatePodTemplateMetadata(template, "spec.template", faults);
  const { restartPolicy = "", activeDeadlineSeconds } = template.spec ?? {};
  if (restartPolicy !== "Always") {
    faults.notSupported("spec.template.spec.restartPolicy", restartPolicy, ["Always"]);
  }
  if (activeDeadlineSeconds !== undefined) {
    const detail = "activeDeadlineSeconds in StatefulSet is not Supported";
    faults.forbidden("spec.template.spec.activeDeadlineSeconds", detail);
  }
}

function validateUpdateStrategy(strategy: StatefulSetUpdateStrategy, faults: Faults): void {
  const path = "spec.updateStrategy";
  switch (strategy.type as string | undefined) {
    case undefined:
    case "":
      return faults.required(path);
    case "OnDelete":
      if (strategy.rollingUpdate === undefined) return;
      return faults.invalid(
        `${path}.rollingUpdate`,
        strategy.rollingUpdate,
        "only allowed for updateStrategy 'RollingUpdate'",
      );
    case "RollingUpdate":
      return validateRollingUpdate(strategy.rollingUpdate ?? {}, `${path}.rollingUpdate`, faults);
    default:
      return faults.invalid(path, strategy, "must be 'RollingUpdate' or 'OnDelete'");
  }
}

function validateRollingUpdate(
  { partition, maxUnavailable }: RollingUpdateStatefulSetStrategy,
  path: string,
  faults: Faults,
): void {
  faults.notNegative(`${path}.partition`, partition);
  validateCountOrShare(maxUnavailable, `${path}.maxUnavailable`, faults);
  if (maxUnavailable === 0 || (typeof maxUnavailable === "string" && /^0+%$/.test(maxUnavailable))) {
    faults.invalid(`${path}.maxUnavailable`, maxUnavailable, "cannot be 0");
  }
}

function validateRetentionPolicy(
  { persistentVolumeClaimRetentionPolicy: policy }: StatefulSetSpec,
  faults: Faults,
): void {
  if (policy === undefined) return;
  for (const field of ["whenDeleted", "whenScaled"] as const) {
    const value = policy[field] ?? "";
    if (retentionPolicies.includes(value)) continue;
    faults.notSupported(`spec.persistentVolumeClaimRetentionPolicy.${field}`, value, retentionPolicies);
  }
}

const mutableFields = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
] as const;

export function validateStatefulSetUpdate(after: StatefulSet, before: StatefulSet, faults: Faults): void {
  if (sameJson(immutablePart(after.spec), immutablePart(before.spec))) return;
  const names = mutableFields.map((field) => `'${field}'`);
  const list = `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  faults.forbidden("spec", `updates to statefulset spec for fields other than ${list} are forbidden`);
}

function immutablePart(spec: StatefulSetSpec | undefined): object {
  const mutable = new Set<string>(mutableFields);
  return Object.fromEntries(Object.entries(spec ?? {}).filter(([name]) => !mutable.has(name)));
}

const counts = [
  "replicas",
  "readyReplicas",
  "currentReplicas",
  "updatedReplicas",
  "availableReplicas",
  "observedGeneration",
  "collisionCount",
] as const;

export function validateStatefulSetStatus({ status }: StatefulSet, faults: Faults, before: StatefulSet): void {
  for (const field of counts) faults.notNegative(`status.${field}`, status?.[field]);
  const limited = ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"] as const;
  validateCountsWithinReplicas(status, limited, faults);
  const { availableReplicas: available = 0, readyReplicas: ready = 0 } = status ?? {};
  if (available > ready) {
    faults.invalid("status.availableReplicas", available, "cannot be greater than status.readyReplicas");
  }
  validateCollisionCount(status, before.status, faults);
}
