import type { z } from "zod";
import { field, object, required } from "../../../schema/fields.ts";
import { atomicList, int32, oneOf, setList, text } from "../../../schema/types.ts";
import { conditionStatus } from "../../../schema/words.ts";

export const podFailureActions = ["Count", "FailIndex", "FailJob", "Ignore"] as const;
export const exitCodeOperators = ["In", "NotIn"] as const;

export const PodFailurePolicyOnExitCodesRequirement = object(
  "io.k8s.api.batch.v1.PodFailurePolicyOnExitCodesRequirement",
  "The requirement matches a failed pod by the exit codes of its containers.",
  () => ({
    containerName: field(
      1,
      text,
      "Only the exit code of the container or init container with this name is compared; without it those of all are.",
    ),
    operator: required(
      2,
      oneOf(...exitCodeOperators),
      "The operator In matches an exit code that is one of the values; NotIn matches one that is none of them; 0 never matches.",
    ),
    values: required(
      3,
      setList(int32),
      "Exit codes are compared with these values, from 1 to 255 of them in ascending order; In cannot have 0.",
    ),
  }),
);
export type PodFailurePolicyOnExitCodesRequirement = z.infer<typeof PodFailurePolicyOnExitCodesRequirement>;

export const PodFailurePolicyOnPodConditionsPattern = object(
  "io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern",
  "The pattern matches a failed pod by one of its conditions.",
  () => ({
    type: required(1, text, "The pod has a condition of this type, such as DisruptionTarget."),
    status: field(2, conditionStatus, "The condition has the status True, the default, False or Unknown."),
  }),
);
export type PodFailurePolicyOnPodConditionsPattern = z.infer<typeof PodFailurePolicyOnPodConditionsPattern>;

export const PodFailurePolicyRule = object(
  "io.k8s.api.batch.v1.PodFailurePolicyRule",
  "The rule names failures of pods by exit codes or by conditions, and the action that follows.",
  () => ({
    action: required(
      1,
      oneOf(...podFailureActions),
      "FailJob fails the whole Job, FailIndex fails the index of the pod, Ignore does not count the failure, and Count counts it towards the limit.",
    ),
    onExitCodes: field(
      2,
      PodFailurePolicyOnExitCodesRequirement,
      "The rule matches by exit codes; it excludes onPodConditions.",
    ),
    onPodConditions: field(
      3,
      atomicList(PodFailurePolicyOnPodConditionsPattern),
      "The rule matches if the pod has a condition like one of these, at most 20; it excludes onExitCodes.",
    ),
  }),
);
export type PodFailurePolicyRule = z.infer<typeof PodFailurePolicyRule>;

export const PodFailurePolicy = object(
  "io.k8s.api.batch.v1.PodFailurePolicy",
  "The policy decides by which failures of pods a Job fails.",
  () => ({
    rules: required(
      1,
      atomicList(PodFailurePolicyRule),
      "The first of these rules that matches a failed pod decides, at most 20; a pod that matches none counts as failed.",
    ),
  }),
);
export type PodFailurePolicy = z.infer<typeof PodFailurePolicy>;

export const SuccessPolicyRule = object(
  "io.k8s.api.batch.v1.SuccessPolicyRule",
  "The rule names indexes with which an indexed Job counts as succeeded.",
  () => ({
    succeededIndexes: field(
      1,
      text,
      "The Job succeeds once these indexes have, written as numbers and intervals such as 1,3-5,7; succeededCount can lower how many of them.",
    ),
    succeededCount: field(
      2,
      int32,
      "The Job succeeds once this many indexes have, of succeededIndexes if that is set and of all otherwise.",
    ),
  }),
);
export type SuccessPolicyRule = z.infer<typeof SuccessPolicyRule>;

export const SuccessPolicy = object(
  "io.k8s.api.batch.v1.SuccessPolicy",
  "The policy decides when an indexed Job succeeds before all of its indexes have.",
  () => ({
    rules: required(
      1,
      atomicList(SuccessPolicyRule),
      "The Job succeeds once one of these rules matches, from 1 to 20 of them; pods that still run are then deleted.",
    ),
  }),
);
export type SuccessPolicy = z.infer<typeof SuccessPolicy>;
