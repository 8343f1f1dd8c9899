import type { Deployment, DeploymentStrategy } from "./deployment.ts";
import { sameJson } from "../../../values/json.ts";
import type { Faults } from "../../../validation/faults.ts";
import { validateLabelSelector } from "../../../validation/labels.ts";
import {
  isEmptySelector,
  isNone,
  validateAvailableCount,
  validateCollisionCount,
  validateCountOrPercent,
  validateCountOrShare,
  validateCountsWithinReplicas,
  validateReplicatedTemplate,
} from "../workload-validation.ts";

const strategies = ["Recreate", "RollingUpdate"];

/** The rules follow ValidateDeploymentSpec in pkg/apis/apps/validation. */
export function validateDeployment({ spec }: Deployment, faults: Faults): void {
  if (spec === undefined) return faults.required("spec.selector");
  const { selector, template, minReadySeconds = 0, progressDeadlineSeconds: deadline } = spec;
  faults.notNegative("spec.replicas", spec.replicas);
  validateLabelSelector(selector, "spec.selector", faults);
  if (isEmptySelector(selector)) faults.invalid("spec.selector", selector, "empty selector is invalid for deployment");
  validateReplicatedTemplate(selector, template, faults);
  validateStrategy(spec.strategy ?? {}, faults);
  faults.notNegative("spec.minReadySeconds", minReadySeconds);
  faults.notNegative("spec.revisionHistoryLimit", spec.revisionHistoryLimit);
  faults.notNegative("spec.progressDeadlineSeconds", deadline);
  if (deadline !== undefined && deadline <= minReadySeconds) {
    faults.invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds");
  }
}

function validateStrategy({ type, rollingUpdate }: DeploymentStrategy, faults: Faults): void {
  if (type === undefined || !strategies.includes(type)) {
    return faults.notSupported("spec.strategy.type", type ?? "", strategies);
  }
  const path = "spec.strategy.rollingUpdate";
  if (type === "Recreate") {
    const detail = "may not be specified when strategy `type` is 'Recreate'";
    if (rollingUpdate !== undefined) faults.forbidden(path, detail);
    return;
  }
  const { maxUnavailable, maxSurge } = rollingUpdate ?? {};
  validateCountOrShare(maxUnavailable, `${path}.maxUnavailable`, faults);
  validateCountOrPercent(maxSurge, `${path}.maxSurge`, faults);
  if (isNone(maxUnavailable) && isNone(maxSurge)) {
    faults.invalid(`${path}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0");
  }
}

export function validateDeploymentUpdate(after: Deployment, before: Deployment, faults: Faults): void {
  const [next, previous] = [after.spec?.selector, before.spec?.selector];
  faults.immutable("spec.selector", next, sameJson(next, previous));
}

const counts = [
  "observedGeneration",
  "replicas",
  "updatedReplicas",
  "readyReplicas",
  "availableReplicas",
  "unavailableReplicas",
  "terminatingReplicas",
  "collisionCount",
] as const;

export function validateDeploymentStatus({ status }: Deployment, faults: Faults, before: Deployment): void {
  for (const field of counts) faults.notNegative(`status.${field}`, status?.[field]);
  validateCountsWithinReplicas(status, ["updatedReplicas", "readyReplicas", "availableReplicas"], faults);
  validateAvailableCount(status?.availableReplicas ?? 0, status?.readyReplicas ?? 0, faults);
  validateCollisionCount(status, before.status, faults);
}
