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
  "A rolling update replaces pods from the highest ordinal to the lowest one.",
  () => ({
    partition: field(
      1,
      int32,
      "Pods with an ordinal below this number keep the revision that they have; the default is 0.",
    ),
    maxUnavailable: field(
      2,
      intOrString,
      "No more than this many pods, a number or a percentage of the wanted ones, may be unavailable during an update; the default is 1.",
    ),
  }),
);
export type RollingUpdateStatefulSetStrategy = z.infer<typeof RollingUpdateStatefulSetStrategy>;

export const StatefulSetUpdateStrategy = object(
  "io.k8s.api.apps.v1.StatefulSetUpdateStrategy",
  "The strategy decides how pods receive a changed template.",
  () => ({
    type: field(
      1,
      oneOf("OnDelete", "RollingUpdate"),
      "RollingUpdate, the default, replaces pods one after another; OnDelete leaves them until a client deletes them.",
    ),
    rollingUpdate: field(
      2,
      RollingUpdateStatefulSetStrategy,
      "These settings apply only when the type is RollingUpdate.",
    ),
  }),
);
export type StatefulSetUpdateStrategy = z.infer<typeof StatefulSetUpdateStrategy>;

export const StatefulSetPersistentVolumeClaimRetentionPolicy = object(
  "io.k8s.api.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy",
  "The policy decides what becomes of the claims that were made from volumeClaimTemplates.",
  () => ({
    whenDeleted: field(
      1,
      oneOf("Delete", "Retain"),
      "Delete removes the claims with the StatefulSet; Retain, the default, keeps them.",
    ),
    whenScaled: field(
      2,
      oneOf("Delete", "Retain"),
      "Delete removes the claims of a pod when scaling down removes the pod; Retain, the default, keeps them.",
    ),
  }),
);
export type StatefulSetPersistentVolumeClaimRetentionPolicy = z.infer<
  typeof StatefulSetPersistentVolumeClaimRetentionPolicy
>;

export const StatefulSetOrdinals = object(
  "io.k8s.api.apps.v1.StatefulSetOrdinals",
  "The ordinals number the pods of a StatefulSet.",
  () => ({
    start: field(1, int32, "The first pod has this ordinal, the others follow it one by one; the default is 0."),
  }),
);
export type StatefulSetOrdinals = z.infer<typeof StatefulSetOrdinals>;

export const StatefulSetSpec = object(
  "io.k8s.api.apps.v1.StatefulSetSpec",
  "The spec describes the pods that a StatefulSet keeps running, each with a name and storage of its own.",
  () => ({
    replicas: field(1, int32, "The StatefulSet keeps this many pods; the default is 1."),
    selector: required(
      2,
      LabelSelector,
      "The StatefulSet owns the pods that match this selector; it must match the template's labels and cannot be changed.",
    ),
    template: required(
      3,
      PodTemplateSpec,
      "New pods are made from this template and named after the StatefulSet and their ordinal; its restartPolicy must be Always.",
    ),
    volumeClaimTemplates: field(
      4,
      atomicList(PersistentVolumeClaim),
      "Each pod has one claim of each of these templates, named after the template and the pod; they take precedence over volumes of the same name and cannot be changed.",
    ),
    serviceName: field(
      5,
      text,
      "This Service, which must exist before the StatefulSet, gives the pods names in DNS such as web-0.web.default.svc; it cannot be changed.",
    ),
    podManagementPolicy: field(
      6,
      oneOf("OrderedReady", "Parallel"),
      "OrderedReady, the default, creates and deletes pods one after another; Parallel acts on all of them at once. It cannot be changed.",
    ),
    updateStrategy: field(7, StatefulSetUpdateStrategy, "The strategy decides how pods receive a changed template."),
    revisionHistoryLimit: field(8, int32, "This many old revisions are kept for rollbacks; the default is 10."),
    minReadySeconds: field(
      9,
      int32,
      "A new pod counts as available once it has been ready for this many seconds without a crash; the default is 0.",
    ),
    persistentVolumeClaimRetentionPolicy: field(
      10,
      StatefulSetPersistentVolumeClaimRetentionPolicy,
      "The policy decides what becomes of claims when the StatefulSet is deleted or scaled down; the default keeps them.",
    ),
    ordinals: field(11, StatefulSetOrdinals, "The ordinals number the pods; they start with 0 by default."),
  }),
);
export type StatefulSetSpec = z.infer<typeof StatefulSetSpec>;

export const StatefulSetCondition = object(
  "io.k8s.api.apps.v1.StatefulSetCondition",
  "A condition describes one aspect of a StatefulSet's state.",
  () => ({
    type: required(1, text, "The type names the aspect."),
    status: required(2, conditionStatus, "The status of the condition is True, False or Unknown."),
    lastTransitionTime: field(3, time, "The status of the condition last changed at this time."),
    reason: field(4, text, "One CamelCase word gives the reason for the last change of the condition."),
    message: field(5, text, "A text for people gives the details of the last change of the condition."),
  }),
);
export type StatefulSetCondition = z.infer<typeof StatefulSetCondition>;

export const StatefulSetStatus = object(
  "io.k8s.api.apps.v1.StatefulSetStatus",
  "The status reports the pods of the StatefulSet and the revisions that they have.",
  () => ({
    observedGeneration: field(
      1,
      int64,
      "The controller had seen this generation of the object when it wrote the status.",
    ),
    replicas: required(2, int32, "The StatefulSet has this many pods."),
    readyReplicas: field(3, int32, "This many pods are ready."),
    currentReplicas: field(4, int32, "This many pods have the revision that currentRevision names."),
    updatedReplicas: field(5, int32, "This many pods have the revision that updateRevision names."),
    currentRevision: field(
      6,
      text,
      "This ControllerRevision holds the template of the pods that an update has not reached yet.",
    ),
    updateRevision: field(7, text, "This ControllerRevision holds the present template."),
    collisionCount: field(
      9,
      int32,
      "The controller counts here how often the name of a new ControllerRevision was already taken, to find a free name.",
    ),
    conditions: field(
      10,
      keyedList(StatefulSetCondition, ["type"]),
      "Conditions describe the object's current state, one aspect each.",
    ),
    availableReplicas: field(11, int32, "This many pods have been ready for at least minReadySeconds."),
  }),
);
export type StatefulSetStatus = z.infer<typeof StatefulSetStatus>;

export const StatefulSet = kind(
  "io.k8s.api.apps.v1.StatefulSet",
  "A StatefulSet keeps a number of pods running of which each has a lasting name, an ordinal and storage of its own.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: field(2, StatefulSetSpec, "The spec describes the desired state of the StatefulSet."),
    status: field(3, StatefulSetStatus, "The status reports the last observed state of the StatefulSet."),
  }),
);
export type StatefulSet = z.infer<typeof StatefulSet>;
