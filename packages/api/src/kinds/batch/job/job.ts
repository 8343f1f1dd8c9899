import type { z } from "zod";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicListMergedBy, bool, int32, int64, oneOf, setList, text, time } from "../../../schema/types.ts";
import { conditionStatus } from "../../../schema/words.ts";
import { PodTemplateSpec } from "../../core/pod/spec/pod-template.ts";
import { PodFailurePolicy, SuccessPolicy } from "./job-policies.ts";

export const completionModes = ["NonIndexed", "Indexed"] as const;
export const podReplacementPolicies = ["Failed", "TerminatingOrFailed"] as const;

export const JobSpec = object(
  "io.k8s.api.batch.v1.JobSpec",
  "The spec describes the pods that a Job runs and how many of them have to succeed.",
  // oxlint-disable-next-line max-lines-per-function -- this is a table with one row per field
  () => ({
    parallelism: field(1, int32, "The Job runs at most this many pods at the same time; the default is 1."),
    completions: field(
      2,
      int32,
      "This many pods have to succeed; the default is 1 if parallelism is not set either, and otherwise one success ends the Job.",
    ),
    activeDeadlineSeconds: field(
      3,
      int64,
      "The Job fails after it has been active for this many seconds; time during which it is suspended does not count.",
    ),
    selector: field(
      4,
      LabelSelector,
      "The Job owns the pods that match this selector; the API server generates it unless manualSelector is true.",
    ),
    manualSelector: field(
      5,
      bool,
      "If true, the author chooses the selector and the labels of the template, which no other Job may share; the default is false.",
    ),
    template: required(
      6,
      PodTemplateSpec,
      "New pods are made from this template; restartPolicy is Never or OnFailure.",
    ),
    backoffLimit: field(
      7,
      int32,
      "The Job fails after more than this many failures of pods; the default is 6, and 2147483647 if backoffLimitPerIndex is set.",
    ),
    ttlSecondsAfterFinished: field(
      8,
      int32,
      "The Job and its pods are deleted this many seconds after it has finished; without it the Job stays.",
    ),
    completionMode: field(
      9,
      oneOf(...completionModes),
      "NonIndexed, the default, counts any pod that succeeds; Indexed needs a success of each index from 0 to completions - 1.",
    ),
    suspend: field(10, bool, "If true, the Job has no pods, and those that run are deleted; the default is false."),
    podFailurePolicy: field(
      11,
      PodFailurePolicy,
      "The policy decides by which failures of pods the Job fails; it needs restartPolicy Never.",
    ),
    backoffLimitPerIndex: field(
      12,
      int32,
      "An index of an indexed Job fails after more than this many failures of its pods, while other indexes go on.",
    ),
    maxFailedIndexes: field(
      13,
      int32,
      "The Job fails once more than this many indexes have failed; it needs backoffLimitPerIndex.",
    ),
    podReplacementPolicy: field(
      14,
      oneOf(...podReplacementPolicies),
      "TerminatingOrFailed, the default, replaces a pod once it is being deleted; Failed, the default with a podFailurePolicy, waits until it has ended.",
    ),
    managedBy: field(
      15,
      text,
      "The controller with this name, such as kubernetes.io/job-controller, manages the Job; the built-in controller leaves the Jobs of others alone.",
    ),
    successPolicy: field(
      16,
      SuccessPolicy,
      "The policy decides when an indexed Job succeeds before all of its indexes have.",
    ),
  }),
);
export type JobSpec = z.infer<typeof JobSpec>;

export const JobCondition = object(
  "io.k8s.api.batch.v1.JobCondition",
  "A condition describes one aspect of a Job's state.",
  () => ({
    type: required(1, text, "The type is Complete, Failed, Suspended, FailureTarget or SuccessCriteriaMet."),
    status: required(2, conditionStatus, "The status of the condition is True, False or Unknown."),
    lastProbeTime: field(3, time, "The condition was last checked at this time."),
    lastTransitionTime: field(4, time, "The status of the condition last changed at this time."),
    reason: field(5, text, "One CamelCase word gives the reason for the last change of the condition."),
    message: field(6, text, "A text for people gives the details of the last change of the condition."),
  }),
);
export type JobCondition = z.infer<typeof JobCondition>;

export const UncountedTerminatedPods = object(
  "io.k8s.api.batch.v1.UncountedTerminatedPods",
  "These pods have ended, and the counters of the status do not include them yet.",
  () => ({
    succeeded: field(1, setList(text), "The pods with these UIDs have succeeded."),
    failed: field(2, setList(text), "The pods with these UIDs have failed."),
  }),
);
export type UncountedTerminatedPods = z.infer<typeof UncountedTerminatedPods>;

export const JobStatus = object("io.k8s.api.batch.v1.JobStatus", "The status reports how far the Job is.", () => ({
  conditions: field(
    1,
    atomicListMergedBy(JobCondition, "type"),
    "Conditions describe the Job's current state, one aspect each; a finished Job has Complete or Failed.",
  ),
  startTime: field(2, time, "The controller started the Job, or resumed it, at this time."),
  completionTime: field(3, time, "The Job completed at this time; it is set only if the Job succeeded."),
  active: field(4, int32, "This many pods of the Job are pending or running and are not being deleted."),
  succeeded: field(5, int32, "This many pods, or indexes of an indexed Job, have succeeded."),
  failed: field(6, int32, "This many pods have failed."),
  completedIndexes: field(
    7,
    text,
    "These indexes of an indexed Job have succeeded, written as numbers and intervals such as 1,3-5,7.",
  ),
  uncountedTerminatedPods: field(
    8,
    UncountedTerminatedPods,
    "These pods have ended, and the counters do not include them yet; no pod is so lost or counted twice.",
  ),
  ready: field(9, int32, "This many active pods are ready."),
  failedIndexes: field(
    10,
    text,
    "These indexes have failed, if backoffLimitPerIndex is set, written as numbers and intervals such as 1,3-5,7.",
  ),
  terminating: field(11, int32, "This many pods of the Job are being deleted and have not ended yet."),
}));
export type JobStatus = z.infer<typeof JobStatus>;

export const Job = kind(
  "io.k8s.api.batch.v1.Job",
  "A Job runs pods until a given number of them has succeeded.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: field(2, JobSpec, "The spec describes the desired behaviour of the Job."),
    status: field(3, JobStatus, "The status reports the last observed state of the Job."),
  }),
);
export type Job = z.infer<typeof Job>;

export const JobTemplateSpec = object(
  "io.k8s.api.batch.v1.JobTemplateSpec",
  "The template describes the Jobs that a controller creates.",
  () => ({
    metadata: field(1, ObjectMeta, "The Jobs receive these labels and annotations."),
    spec: field(2, JobSpec, "The spec describes the desired behaviour of the Jobs."),
  }),
);
export type JobTemplateSpec = z.infer<typeof JobTemplateSpec>;
