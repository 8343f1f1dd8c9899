import type { z } from "zod";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { int32, int64, keyedList, text, time } from "../../../schema/types.ts";
import { conditionStatus } from "../../../schema/words.ts";
import { PodTemplateSpec } from "../../core/pod/spec/pod-template.ts";

export const ReplicaSetSpec = object("io.k8s.api.apps.v1.ReplicaSetSpec", "Desired state of a ReplicaSet.", () => ({
  replicas: field(1, int32, "Number of desired pods. Defaults to 1."),
  selector: required(
    2,
    LabelSelector,
    "Label selector of the ReplicaSet's pods. Must match the template's labels. Immutable.",
  ),
  template: field(3, PodTemplateSpec, "Template of the pods."),
  minReadySeconds: field(
    4,
    int32,
    "Number of seconds that a new pod must be ready, without a container crash, before the pod is available. Defaults to 0.",
  ),
}));
export type ReplicaSetSpec = z.infer<typeof ReplicaSetSpec>;

export const ReplicaSetCondition = object(
  "io.k8s.api.apps.v1.ReplicaSetCondition",
  "ReplicaSetCondition describes one aspect of a ReplicaSet's state.",
  () => ({
    type: required(1, text, "Type of the condition, such as ReplicaFailure."),
    status: required(2, conditionStatus, "Status of the condition: True, False or Unknown."),
    lastTransitionTime: field(3, time, "Time at which the condition's status last changed."),
    reason: field(4, text, "Reason for the condition's last transition, one CamelCase word."),
    message: field(5, text, "Human-readable details of the condition's last transition."),
  }),
);
export type ReplicaSetCondition = z.infer<typeof ReplicaSetCondition>;

export const ReplicaSetStatus = object(
  "io.k8s.api.apps.v1.ReplicaSetStatus",
  "Observed state of a ReplicaSet.",
  () => ({
    replicas: required(1, int32, "Number of non-terminating pods of the ReplicaSet."),
    fullyLabeledReplicas: field(
      2,
      int32,
      "Number of non-terminating pods whose labels match the labels of the current template.",
    ),
    observedGeneration: field(3, int64, "Generation of the object that the status describes."),
    readyReplicas: field(4, int32, "Number of ready pods."),
    availableReplicas: field(5, int32, "Number of pods that have been ready for at least minReadySeconds."),
    conditions: field(
      6,
      keyedList(ReplicaSetCondition, ["type"]),
      "Observed conditions of the object, one of each type.",
    ),
    terminatingReplicas: field(7, int32, "Number of terminating pods of the ReplicaSet."),
  }),
);
export type ReplicaSetStatus = z.infer<typeof ReplicaSetStatus>;

export const ReplicaSet = kind(
  "io.k8s.api.apps.v1.ReplicaSet",
  "A ReplicaSet keeps a given number of identical pods running.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    spec: field(2, ReplicaSetSpec, "Desired state of the ReplicaSet."),
    status: field(3, ReplicaSetStatus, "Observed state of the ReplicaSet, which may be slightly out of date."),
  }),
);
export type ReplicaSet = z.infer<typeof ReplicaSet>;
