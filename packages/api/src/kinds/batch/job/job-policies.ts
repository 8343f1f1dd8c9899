import type { z } from "zod";
import { field, object, required } from "../../../schema/fields.ts";
import { atomicList, int32, oneOf, setList, text } from "../../../schema/types.ts";
import { conditionStatus } from "../../../schema/words.ts";

export const podFailureActions = ["Count", "FailIndex", "FailJob", "Ignore"] as const;
export const exitCodeOperators = ["In", "NotIn"] as const;

export const PodFailurePolicyOnExitCodesRequirement = object(
  "io.k8s.api.batch.v1.PodFailurePolicyOnExitCodesRequirement",
  "Requirement for the container exit codes of a failed pod.",
  () => ({
    containerName: field(
      1,
      text,
      "Name of the container or init container whose exit code is compared. If unset, all containers are compared.",
    ),
    operator: required(
      2,
      oneOf(...exitCodeOperators),
      "Operator of the comparison: In matches an exit code in the list, NotIn matches an exit code that is not in the list. Exit code 0 never matches.",
    ),
    values: required(
      3,
      setList(int32),
      "List of 1 to 255 exit codes in ascending order. The operator In does not allow 0.",
    ),
  }),
);
export type PodFailurePolicyOnExitCodesRequirement = z.infer<typeof PodFailurePolicyOnExitCodesRequirement>;

export const PodFailurePolicyOnPodConditionsPattern = object(
  "io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern",
  "Requirement for a condition of a failed pod.",
  () => ({
    type: required(1, text, "Type of the pod's condition, such as DisruptionTarget."),
    status: field(2, conditionStatus, "Status of the pod's condition: True, False or Unknown. Defaults to True."),
  }),
);
export type PodFailurePolicyOnPodConditionsPattern = z.infer<typeof PodFailurePolicyOnPodConditionsPattern>;

export const PodFailurePolicyRule = object(
  "io.k8s.api.batch.v1.PodFailurePolicyRule",
  "PodFailurePolicyRule matches pod failures by exit codes or conditions, and determines the resulting action.",
  () => ({
    action: required(
      1,
      oneOf(...podFailureActions),
      "Action for a matching failure: FailJob fails the Job, FailIndex fails the pod's index, Ignore does not count the failure, Count counts it towards backoffLimit.",
    ),
    onExitCodes: field(
      2,
      PodFailurePolicyOnExitCodesRequirement,
      "Exit codes that the rule matches. Cannot be combined with onPodConditions.",
    ),
    onPodConditions: field(
      3,
      atomicList(PodFailurePolicyOnPodConditionsPattern),
      "Conditions of failed pods, at most 20. The rule matches a pod that has at least one of the conditions. Cannot be combined with onExitCodes.",
    ),
  }),
);
export type PodFailurePolicyRule = z.infer<typeof PodFailurePolicyRule>;

export const PodFailurePolicy = object(
  "io.k8s.api.batch.v1.PodFailurePolicy",
  "PodFailurePolicy determines how pod failures affect a Job.",
  () => ({
    rules: required(
      1,
      atomicList(PodFailurePolicyRule),
      "Rules in the order of their evaluation, at most 20. The first rule that matches a failed pod determines the action. If no rule matches, the failure counts towards backoffLimit.",
    ),
  }),
);
export type PodFailurePolicy = z.infer<typeof PodFailurePolicy>;

export const SuccessPolicyRule = object(
  "io.k8s.api.batch.v1.SuccessPolicyRule",
  "SuccessPolicyRule names the indexes whose success completes an indexed Job.",
  () => ({
    succeededIndexes: field(
      1,
      text,
      "Indexes that must succeed, written as numbers and ranges such as 1,3-5,7. If succeededCount is set, only that number of these indexes must succeed.",
    ),
    succeededCount: field(
      2,
      int32,
      "Number of indexes that must succeed. If succeededIndexes is set, only its indexes are counted.",
    ),
  }),
);
export type SuccessPolicyRule = z.infer<typeof SuccessPolicyRule>;

export const SuccessPolicy = object(
  "io.k8s.api.batch.v1.SuccessPolicy",
  "SuccessPolicy determines when an indexed Job succeeds before all of its indexes have succeeded.",
  () => ({
    rules: required(
      1,
      atomicList(SuccessPolicyRule),
      "Alternative rules, from 1 to 20. The Job succeeds as soon as one rule is met, and its remaining pods are deleted.",
    ),
  }),
);
export type SuccessPolicy = z.infer<typeof SuccessPolicy>;
