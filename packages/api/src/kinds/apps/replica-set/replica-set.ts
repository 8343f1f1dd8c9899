import type { z } from "zod";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { int32, int64, keyedList, text, time } from "../../../schema/types.ts";
import { conditionStatus } from "../../../schema/words.ts";
import { PodTemplateSpec } from "../../core/pod/spec/pod-template.ts";

export const ReplicaSetSpec = object(
  "io.k8s.api.apps.v1.ReplicaSetSpec",
  "How many pods are wanted, and of what kind.",
  () => ({
    replicas: field(1, int32, "How many pods are wanted; 1 when unset."),
    selector: required(2, LabelSelector, "Which pods are its own; never changes."),
    template: field(3, PodTemplateSpec, "What new pods are made from."),
    minReadySeconds: field(4, int32, "How long a pod has to be ready to count as available."),
  }),
);
export type ReplicaSetSpec = z.infer<typeof ReplicaSetSpec>;

export const ReplicaSetCondition = object(
  "io.k8s.api.apps.v1.ReplicaSetCondition",
  "One aspect of a ReplicaSet's state.",
  () => ({
    type: required(1, text),
    status: required(2, conditionStatus),
    lastTransitionTime: field(3, time),
    reason: field(4, text),
    message: field(5, text),
  }),
);
export type ReplicaSetCondition = z.infer<typeof ReplicaSetCondition>;

export const ReplicaSetStatus = object("io.k8s.api.apps.v1.ReplicaSetStatus", "How many pods there are.", () => ({
  replicas: required(1, int32, "How many pods there are."),
  fullyLabeledReplicas: field(2, int32, "How many have all the template's labels."),
  observedGeneration: field(3, int64, "Which generation this is about."),
  readyReplicas: field(4, int32, "How many are ready."),
  availableReplicas: field(5, int32, "How many have been ready long enough."),
  conditions: field(6, keyedList(ReplicaSetCondition, ["type"]), "How it is, aspect by aspect."),
  terminatingReplicas: field(7, int32, "How many are on their way out."),
}));
export type ReplicaSetStatus = z.infer<typeof ReplicaSetStatus>;

export const ReplicaSet = kind("io.k8s.api.apps.v1.ReplicaSet", "Keeps so many pods of a kind running.", () => ({
  metadata: always(1, ObjectMeta),
  spec: field(2, ReplicaSetSpec, "How many pods are wanted."),
  status: field(3, ReplicaSetStatus, "How many there are."),
}));
export type ReplicaSet = z.infer<typeof ReplicaSet>;
