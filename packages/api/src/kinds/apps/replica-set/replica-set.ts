import type { z } from "zod";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { int32, int64, keyedList, text, time } from "../../../schema/types.ts";
import { conditionStatus } from "../../../schema/words.ts";
import { PodTemplateSpec } from "../../core/pod/spec/pod-template.ts";

export const ReplicaSetSpec = object(
  "io.k8s.api.apps.v1.ReplicaSetSpec",
  "The spec describes the pods that a ReplicaSet keeps running.",
  () => ({
    replicas: field(1, int32, "The ReplicaSet keeps this many pods; the default is 1."),
    selector: required(
      2,
      LabelSelector,
      "The ReplicaSet owns the pods that match this selector; it must match the template's labels and cannot be changed.",
    ),
    template: field(3, PodTemplateSpec, "New pods are made from this template."),
    minReadySeconds: field(
      4,
      int32,
      "A new pod counts as available once it has been ready for this many seconds without a crash; the default is 0.",
    ),
  }),
);
export type ReplicaSetSpec = z.infer<typeof ReplicaSetSpec>;

export const ReplicaSetCondition = object(
  "io.k8s.api.apps.v1.ReplicaSetCondition",
  "A condition describes one aspect of a ReplicaSet's state.",
  () => ({
    type: required(1, text, "The type names the aspect, such as ReplicaFailure."),
    status: required(2, conditionStatus, "The status of the condition is True, False or Unknown."),
    lastTransitionTime: field(3, time, "The status of the condition last changed at this time."),
    reason: field(4, text, "One CamelCase word gives the reason for the last change of the condition."),
    message: field(5, text, "A text for people gives the details of the last change of the condition."),
  }),
);
export type ReplicaSetCondition = z.infer<typeof ReplicaSetCondition>;

export const ReplicaSetStatus = object(
  "io.k8s.api.apps.v1.ReplicaSetStatus",
  "The status reports how many pods the ReplicaSet has.",
  () => ({
    replicas: required(1, int32, "The ReplicaSet has this many pods that are not terminating."),
    fullyLabeledReplicas: field(2, int32, "This many pods have all labels of the current template."),
    observedGeneration: field(
      3,
      int64,
      "The controller had seen this generation of the object when it wrote the status.",
    ),
    readyReplicas: field(4, int32, "This many pods are ready."),
    availableReplicas: field(5, int32, "This many pods have been ready for at least minReadySeconds."),
    conditions: field(
      6,
      keyedList(ReplicaSetCondition, ["type"]),
      "Conditions describe the object's current state, one aspect each.",
    ),
    terminatingReplicas: field(7, int32, "This many pods of the ReplicaSet are terminating."),
  }),
);
export type ReplicaSetStatus = z.infer<typeof ReplicaSetStatus>;

export const ReplicaSet = kind(
  "io.k8s.api.apps.v1.ReplicaSet",
  "A ReplicaSet keeps a given number of equal pods running.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: field(2, ReplicaSetSpec, "The spec describes the desired state of the ReplicaSet."),
    status: field(
      3,
      ReplicaSetStatus,
      "The status reports the last observed state of the ReplicaSet; it may be slightly out of date.",
    ),
  }),
);
export type ReplicaSet = z.infer<typeof ReplicaSet>;
