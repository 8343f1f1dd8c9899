import type { z } from "zod";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, int32, int64, intOrString, keyedList, oneOf, text, time } from "../../../schema/types.ts";
import { conditionStatus } from "../../../schema/words.ts";
import { PersistentVolumeClaim } from "../../core/persistent-volume-claim/persistent-volume-claim.ts";
import { PodTemplateSpec } from "../../core/pod/spec/pod-template.ts";

export const RollingUpdateStatefulSetStrategy = object(
  "io.k8s.api.apps.v1.RollingUpdateStatefulSetStrategy",
  "Limits of a rolling update of a StatefulSet, which replaces pods from the highest ordinal to the lowest.",
  () => ({
    partition: field(
      1,
      int32,
      "Lowest ordinal of the pods that are updated. Pods with a lower ordinal keep their revision. Defaults to 0.",
    ),
    maxUnavailable: field(
      2,
      intOrString,
      "Maximum number of unavailable pods during an update, as a number or a percentage of the desired pods. A percentage is rounded down, but to at least 1. Defaults to 1.",
    ),
  }),
);
export type RollingUpdateStatefulSetStrategy = z.infer<typeof RollingUpdateStatefulSetStrategy>;

export const StatefulSetUpdateStrategy = object(
  "io.k8s.api.apps.v1.StatefulSetUpdateStrategy",
  "Strategy for applying a changed template to pods.",
  () => ({
    type: field(
      1,
      oneOf("OnDelete", "RollingUpdate"),
      "Type of the strategy: RollingUpdate replaces pods one by one, OnDelete replaces a pod only after a client has deleted it. Defaults to RollingUpdate.",
    ),
    rollingUpdate: field(
      2,
      RollingUpdateStatefulSetStrategy,
      "Settings of the update. Applies only to the type RollingUpdate.",
    ),
  }),
);
export type StatefulSetUpdateStrategy = z.infer<typeof StatefulSetUpdateStrategy>;

export const StatefulSetPersistentVolumeClaimRetentionPolicy = object(
  "io.k8s.api.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy",
  "Retention policy of the claims that are created from volumeClaimTemplates.",
  () => ({
    whenDeleted: field(
      1,
      oneOf("Delete", "Retain"),
      "Handling of the claims when the StatefulSet is deleted: Delete or Retain. Defaults to Retain.",
    ),
    whenScaled: field(
      2,
      oneOf("Delete", "Retain"),
      "Handling of a pod's claims when the StatefulSet is scaled down and the pod is deleted: Delete or Retain. Defaults to Retain.",
    ),
  }),
);
export type StatefulSetPersistentVolumeClaimRetentionPolicy = z.infer<
  typeof StatefulSetPersistentVolumeClaimRetentionPolicy
>;

export const StatefulSetOrdinals = object(
  "io.k8s.api.apps.v1.StatefulSetOrdinals",
  "Numbering of the pods in a StatefulSet.",
  () => ({
    start: field(1, int32, "Ordinal of the first pod. Defaults to 0."),
  }),
);
export type StatefulSetOrdinals = z.infer<typeof StatefulSetOrdinals>;

export const StatefulSetSpec = object(
  "io.k8s.api.apps.v1.StatefulSetSpec",
  "Desired state of a StatefulSet, in which each pod has a stable name and its own storage.",
  () => ({
    replicas: field(1, int32, "Number of desired pods. Defaults to 1."),
    selector: required(
      2,
      LabelSelector,
      "Label selector of the StatefulSet's pods. Must match the template's labels. Immutable.",
    ),
    template: required(
      3,
      PodTemplateSpec,
      "Template of the pods. Each pod is named after the StatefulSet and the pod's ordinal. The restartPolicy must be Always.",
    ),
    volumeClaimTemplates: field(
      4,
      atomicList(PersistentVolumeClaim),
      "Templates of each pod's claims, which are named after the template and the pod. The claims take precedence over volumes with the template's name. Immutable.",
    ),
    serviceName: field(
      5,
      text,
      "Name of the Service that gives each pod a DNS name such as web-0.web.default.svc. The Service must exist before the StatefulSet. Immutable.",
    ),
    podManagementPolicy: field(
      6,
      oneOf("OrderedReady", "Parallel"),
      "Creation and deletion of pods: OrderedReady creates and deletes pods one at a time in order, Parallel creates and deletes all pods at the same time. Defaults to OrderedReady. Immutable.",
    ),
    updateStrategy: field(7, StatefulSetUpdateStrategy, "Strategy for applying a changed template to pods."),
    revisionHistoryLimit: field(8, int32, "Number of old revisions that are kept for rollbacks. Defaults to 10."),
    minReadySeconds: field(
      9,
      int32,
      "Number of seconds that a new pod must be ready, without a container crash, before the pod is available. Defaults to 0.",
    ),
    persistentVolumeClaimRetentionPolicy: field(
      10,
      StatefulSetPersistentVolumeClaimRetentionPolicy,
      "Retention policy of the claims when the StatefulSet is deleted or scaled down. By default, the claims are retained.",
    ),
    ordinals: field(11, StatefulSetOrdinals, "Numbering of the pods. By default, the first ordinal is 0."),
  }),
);
export type StatefulSetSpec = z.infer<typeof StatefulSetSpec>;

export const StatefulSetCondition = object(
  "io.k8s.api.apps.v1.StatefulSetCondition",
  "StatefulSetCondition describes one aspect of a StatefulSet's state.",
  () => ({
    type: required(1, text, "Type of the condition."),
    status: required(2, conditionStatus, "Status of the condition: True, False or Unknown."),
    lastTransitionTime: field(3, time, "Time at which the condition's status last changed."),
    reason: field(4, text, "Reason for the condition's last transition, one CamelCase word."),
    message: field(5, text, "Human-readable details of the condition's last transition."),
  }),
);
export type StatefulSetCondition = z.infer<typeof StatefulSetCondition>;

export const StatefulSetStatus = object(
  "io.k8s.api.apps.v1.StatefulSetStatus",
  "Observed state of a StatefulSet: its pods and their revisions.",
  () => ({
    observedGeneration: field(1, int64, "Generation of the object that the status describes."),
    replicas: required(2, int32, "Number of pods of the StatefulSet."),
    readyReplicas: field(3, int32, "Number of ready pods."),
    currentReplicas: field(4, int32, "Number of pods whose revision is currentRevision."),
    updatedReplicas: field(5, int32, "Number of pods whose revision is updateRevision."),
    currentRevision: field(6, text, "Name of the ControllerRevision for the pods that have not been updated yet."),
    updateRevision: field(7, text, "Name of the ControllerRevision to which the pods are updated."),
    collisionCount: field(
      9,
      int32,
      "Number of name collisions of new ControllerRevisions. The controller uses the number to generate a unique name.",
    ),
    conditions: field(
      10,
      keyedList(StatefulSetCondition, ["type"]),
      "Observed conditions of the object, one of each type.",
    ),
    availableReplicas: field(11, int32, "Number of pods that have been ready for at least minReadySeconds."),
  }),
);
export type StatefulSetStatus = z.infer<typeof StatefulSetStatus>;

export const StatefulSet = kind(
  "io.k8s.api.apps.v1.StatefulSet",
  "A StatefulSet runs a number of pods, each with a stable name, an ordinal and its own storage.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    spec: field(2, StatefulSetSpec, "Desired state of the StatefulSet."),
    status: field(3, StatefulSetStatus, "Observed state of the StatefulSet."),
  }),
);
export type StatefulSet = z.infer<typeof StatefulSet>;
