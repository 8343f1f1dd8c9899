import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicMap, int32, int64, keyedList, text, time } from "../../../schema/types.ts";
import { conditionStatus } from "../../../schema/words.ts";
import { PodTemplateSpec } from "../pod/spec/pod-template.ts";

export const ReplicationControllerSpec = object(
  "io.k8s.api.core.v1.ReplicationControllerSpec",
  "Desired state of a ReplicationController.",
  () => ({
    replicas: field(1, int32, "Number of desired pods. Defaults to 1."),
    selector: field(
      2,
      atomicMap(text),
      "Labels of the ReplicationController's pods. Defaults to the template's labels.",
    ),
    template: field(3, PodTemplateSpec, "Template of the pods."),
    minReadySeconds: field(
      4,
      int32,
      "Number of seconds that a new pod must be ready, without a container crash, before the pod is available. Defaults to 0.",
    ),
  }),
);
export type ReplicationControllerSpec = z.infer<typeof ReplicationControllerSpec>;

export const ReplicationControllerCondition = object(
  "io.k8s.api.core.v1.ReplicationControllerCondition",
  "ReplicationControllerCondition describes one aspect of a ReplicationController's state.",
  () => ({
    type: required(1, text, "Type of the condition, such as ReplicaFailure."),
    status: required(2, conditionStatus, "Status of the condition: True, False or Unknown."),
    lastTransitionTime: field(3, time, "Time at which the condition's status last changed."),
    reason: field(4, text, "Reason for the condition's last transition, one CamelCase word."),
    message: field(5, text, "Human-readable details of the condition's last transition."),
  }),
);
export type ReplicationControllerCondition = z.infer<typeof ReplicationControllerCondition>;

export const ReplicationControllerStatus = object(
  "io.k8s.api.core.v1.ReplicationControllerStatus",
  "Observed state of a ReplicationController.",
  () => ({
    replicas: required(1, int32, "Number of non-terminating pods of the ReplicationController."),
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
      keyedList(ReplicationControllerCondition, ["type"]),
      "Observed conditions of the object, one of each type.",
    ),
  }),
);
export type ReplicationControllerStatus = z.infer<typeof ReplicationControllerStatus>;

export const ReplicationController = kind(
  "io.k8s.api.core.v1.ReplicationController",
  "A ReplicationController keeps a given number of identical pods running. ReplicaSets supersede ReplicationControllers.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    spec: field(2, ReplicationControllerSpec, "Desired state of the ReplicationController."),
    status: field(
      3,
      ReplicationControllerStatus,
      "Observed state of the ReplicationController, which may be slightly out of date.",
    ),
  }),
);
export type ReplicationController = z.infer<typeof ReplicationController>;
