import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicMap, int32, int64, keyedList, text, time } from "../../../schema/types.ts";
import { conditionStatus } from "../../../schema/words.ts";
import { PodTemplateSpec } from "../pod/spec/pod-template.ts";

export const ReplicationControllerSpec = object(
  "io.k8s.api.core.v1.ReplicationControllerSpec",
  "The spec describes the pods that a ReplicationController keeps running.",
  () => ({
    replicas: field(1, int32, "The ReplicationController keeps this many pods; the default is 1."),
    selector: field(
      2,
      atomicMap(text),
      "The ReplicationController owns the pods with these labels; the default is the template's labels.",
    ),
    template: field(3, PodTemplateSpec, "New pods are made from this template."),
    minReadySeconds: field(
      4,
      int32,
      "A new pod counts as available once it has been ready for this many seconds without a crash; the default is 0.",
    ),
  }),
);
export type ReplicationControllerSpec = z.infer<typeof ReplicationControllerSpec>;

export const ReplicationControllerCondition = object(
  "io.k8s.api.core.v1.ReplicationControllerCondition",
  "A condition describes one aspect of a ReplicationController's state.",
  () => ({
    type: required(1, text, "The type names the aspect, such as ReplicaFailure."),
    status: required(2, conditionStatus, "The status of the condition is True, False or Unknown."),
    lastTransitionTime: field(3, time, "The status of the condition last changed at this time."),
    reason: field(4, text, "One CamelCase word gives the reason for the last change of the condition."),
    message: field(5, text, "A text for people gives the details of the last change of the condition."),
  }),
);
export type ReplicationControllerCondition = z.infer<typeof ReplicationControllerCondition>;

export const ReplicationControllerStatus = object(
  "io.k8s.api.core.v1.ReplicationControllerStatus",
  "The status reports how many pods the ReplicationController has.",
  () => ({
    replicas: required(1, int32, "The ReplicationController has this many pods that are not terminating."),
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
      keyedList(ReplicationControllerCondition, ["type"]),
      "Conditions describe the object's current state, one aspect each.",
    ),
  }),
);
export type ReplicationControllerStatus = z.infer<typeof ReplicationControllerStatus>;

export const ReplicationController = kind(
  "io.k8s.api.core.v1.ReplicationController",
  "A ReplicationController keeps a given number of equal pods running; ReplicaSets have taken its place.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: field(2, ReplicationControllerSpec, "The spec describes the desired state of the ReplicationController."),
    status: field(
      3,
      ReplicationControllerStatus,
      "The status reports the last observed state of the ReplicationController; it may be slightly out of date.",
    ),
  }),
);
export type ReplicationController = z.infer<typeof ReplicationController>;
