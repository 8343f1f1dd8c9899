import type { z } from "zod";
import { LabelSelector } from "../../meta/label-selector-type.ts";
import { ObjectMeta } from "../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../schema/fields.ts";
import { int32, int64, keyedList, text, time } from "../../schema/types.ts";
import { conditionStatus } from "../../schema/words.ts";
import { PodTemplateSpec } from "../pod/pod-template.ts";

export const ReplicaSetSpec = object("io.k8s.api.apps.v1.ReplicaSetSpec", {
  replicas: field(1, int32),
  selector: required(2, LabelSelector),
  template: field(3, PodTemplateSpec),
  minReadySeconds: field(4, int32),
});
export type ReplicaSetSpec = z.infer<typeof ReplicaSetSpec>;

export const ReplicaSetCondition = object("io.k8s.api.apps.v1.ReplicaSetCondition", {
  type: required(1, text),
  status: required(2, conditionStatus),
  lastTransitionTime: field(3, time),
  reason: field(4, text),
  message: field(5, text),
});
export type ReplicaSetCondition = z.infer<typeof ReplicaSetCondition>;

export const ReplicaSetStatus = object("io.k8s.api.apps.v1.ReplicaSetStatus", {
  replicas: required(1, int32),
  fullyLabeledReplicas: field(2, int32),
  observedGeneration: field(3, int64),
  readyReplicas: field(4, int32),
  availableReplicas: field(5, int32),
  conditions: field(6, keyedList(ReplicaSetCondition, ["type"])),
  terminatingReplicas: field(7, int32),
});
export type ReplicaSetStatus = z.infer<typeof ReplicaSetStatus>;

export const ReplicaSet = kind("io.k8s.api.apps.v1.ReplicaSet", {
  metadata: always(1, ObjectMeta),
  spec: field(2, ReplicaSetSpec),
  status: field(3, ReplicaSetStatus),
});
export type ReplicaSet = z.infer<typeof ReplicaSet>;
