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
      "Lowest ordinal that is updated. Pods with a lower ordinal keep their revision. Defaults to 0.",
    ),
    maxUnavailable: field(
      2,
      intOrString,
      "Maximum number of pods that may be unavailable during an update, a number or a percentage of the desired pods. Defaults to 1.",
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
      "Limits of the update. Applies only to the type RollingUpdate.",
    ),
  }),
);
export type StatefulSetUpdateStrategy = z.infer<typeof StatefulSetUpdateStrategy>;

export const StatefulSetPersistentVolumeClaimRetentionPolicy = object(
  "io.k8s.api.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy",
  "Retention of the claims that were created from volumeClaimTemplates.",
  () => ({
    whenDeleted: field(
      1,
      oneOf("Delete", "Retain"),
      "Handling of the claims when the StatefulSet is deleted: Delete or Retain. Defaults to Retain.",
    ),
    whenScaled: field(
      2,
      oneOf("Delete", "Retain"),
      "Handling of a pod's claims when scaling down removes the pod: Delete or Retain. Defaults to Retain.",
    ),
  }),
);
export type StatefulSetPersistentVolumeClaimRetentionPolicy = z.infer<
  typeof StatefulSetPersistentVolumeClaimRetentionPolicy
>;

export const StatefulSetOrdinals = object(
  "io.k8s.api.apps.v1.StatefulSetOrdinals",
  "Numbering of the pods of a StatefulSet.",
  () => ({
    start: field(1, int32, "Ordinal of the first pod. Defaults to 0."),
  }),
);
export type StatefulSetOrdinals = z.infer<typeof StatefulSetOrdinals>;

export const StatefulSetSpec = object(
  "io.k8s.api.apps.v1.StatefulSetSpec",
  "Desired state of a StatefulSet, whose pods each have a stable name and their own storage.",
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
      "Templates of the claims that each pod has, named after the template and the pod. They take precedence over volumes of the same name. Immutable.",
    ),
    serviceName: field(
      5,
      text,
      "Name of the Service that gives the pods DNS names such as web-0.web.default.svc. The Service must exist before the StatefulSet. Immutable.",
    ),
    podManagementPolicy: field(
      6,
      oneOf("OrderedReady", "Parallel"),
      "Order of creating and deleting pods: OrderedReady acts on one pod after the other, Parallel acts on all pods at the same time. Defaults to OrderedReady. Immutable.",
    ),
    updateStrategy: field(7, StatefulSetUpdateStrategy, "Strategy for applying a changed template to pods."),
    revisionHistoryLimit: field(8, int32, "Number of old revisions that are kept for rollbacks. Defaults to 10."),
    minReadySeconds: field(
      9,
      int32,
      "Time for which a new pod must be ready without a crash to count as available, in seconds. Defaults to 0.",
    ),
    persistentVolumeClaimRetentionPolicy: field(
      10,
      StatefulSetPersistentVolumeClaimRetentionPolicy,
      "Retention of the claims when the StatefulSet is deleted or scaled down. Defaults to keeping them.",
    ),
    ordinals: field(11, StatefulSetOrdinals, "Numbering of the pods. Defaults to ordinals from 0."),
  }),
);
export type StatefulSetSpec = z.infer<typeof StatefulSetSpec>;

export const StatefulSetCondition = object(
  "io.k8s.api.apps.v1.StatefulSetCondition",
  "StatefulSetCondition describes one aspect of a StatefulSet's state.",
  () => ({
    type: required(1, text, "Type of the condition."),
    status: required(2, conditionStatus, "Status of the condition: True, False or Unknown."),
    lastTransitionTime: field(3, time, "Time of the last change of the condition's status."),
    reason: field(4, text, "Reason for the last change of the condition, one CamelCase word."),
    message: field(5, text, "Human-readable details of the last change of the condition."),
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
    currentReplicas: field(4, int32, "Number of pods with the revision currentRevision."),
    updatedReplicas: field(5, int32, "Number of pods with the revision updateRevision."),
    currentRevision: field(
      6,
      text,
      "Name of the ControllerRevision with the template of the pods that are not updated yet.",
    ),
    updateRevision: field(7, text, "Name of the ControllerRevision with the current template."),
    collisionCount: field(
      9,
      int32,
      "Number of name collisions of new ControllerRevisions. The controller uses it to generate a free name.",
    ),
    conditions: field(
      10,
      keyedList(StatefulSetCondition, ["type"]),
      "Conditions of the object's current state, one for each aspect.",
    ),
    availableReplicas: field(11, int32, "Number of pods that have been ready for at least minReadySeconds."),
  }),
);
export type StatefulSetStatus = z.infer<typeof StatefulSetStatus>;

export const StatefulSet = kind(
  "io.k8s.api.apps.v1.StatefulSet",
  "A StatefulSet keeps a number of pods running that each have a stable name, an ordinal and their own storage.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    spec: field(2, StatefulSetSpec, "Desired state of the StatefulSet."),
    status: field(3, StatefulSetStatus, "Observed state of the StatefulSet."),
  }),
);
export type StatefulSet = z.infer<typeof StatefulSet>;
