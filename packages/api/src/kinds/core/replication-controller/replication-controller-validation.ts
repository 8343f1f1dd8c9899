import type { Faults } from "../../../validation/faults.ts";
import { validateLastingTemplate, validateReplicaCounts } from "../../apps/workload-validation.ts";
import type { ReplicationController } from "./replication-controller.ts";

/** Applies the rules of ValidateReplicationControllerSpec; the selector may change. */
export function validateReplicationController({ spec }: ReplicationController, faults: Faults): void {
  if (spec === undefined) return faults.required("spec.selector");
  const { selector = {}, template } = spec;
  faults.notNegative("spec.minReadySeconds", spec.minReadySeconds);
  if (Object.keys(selector).length === 0) faults.required("spec.selector");
  faults.notNegative("spec.replicas", spec.replicas);
  if (template === undefined) return faults.required("spec.template");
  validateLastingTemplate({ matchLabels: selector }, template, { owner: "ReplicationController", faults });
}

export function validateReplicationControllerStatus({ status }: ReplicationController, faults: Faults): void {
  if (status !== undefined) validateReplicaCounts(status, faults);
}
