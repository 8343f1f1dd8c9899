import { sameJson } from "../../../values/json.ts";
import type { Faults } from "../../../validation/faults.ts";
import { validateLabelSelector } from "../../../validation/labels.ts";
import { isEmptySelector, validateReplicaCounts, validateReplicatedTemplate } from "../workload-validation.ts";
import type { ReplicaSet } from "./replica-set.ts";

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

export function validateReplicaSetUpdate(after: ReplicaSet, before: ReplicaSet, faults: Faults): void {
  const [next, previous] = [after.spec?.selector, before.spec?.selector];
  faults.immutable("spec.selector", next, sameJson(next, previous));
}

export function validateReplicaSetStatus({ status }: ReplicaSet, faults: Faults): void {
  if (status !== undefined) validateReplicaCounts(status, faults);
}
