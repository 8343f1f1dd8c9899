import type { z } from "zod";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { int32, int64, intOrString, keyedList, oneOf, text, time } from "../../../schema/types.ts";
import { conditionStatus } from "../../../schema/words.ts";
import { PodTemplateSpec } from "../../core/pod/spec/pod-template.ts";

export const RollingUpdateDaemonSet = object(
  "io.k8s.api.apps.v1.RollingUpdateDaemonSet",
  "A rolling update keeps the pods of a DaemonSet within these bounds.",
  () => ({
    maxUnavailable: field(
      1,
      intOrString,
      "No more than this many pods, a number or a percentage of the wanted ones rounded up, may be unavailable during an update; the default is 1, and 0 is allowed only with maxSurge.",
    ),
    maxSurge: field(
      2,
      intOrString,
      "No more than this many nodes, a number or a percentage of the wanted ones rounded up, may run a new pod beside an old one that is available; the default is 0.",
    ),
  }),
);
export type RollingUpdateDaemonSet = z.infer<typeof RollingUpdateDaemonSet>;

export const DaemonSetUpdateStrategy = object(
  "io.k8s.api.apps.v1.DaemonSetUpdateStrategy",
  "The strategy decides how new pods replace old ones.",
  () => ({
    type: field(
      1,
      oneOf("OnDelete", "RollingUpdate"),
      "RollingUpdate, the default, replaces pods gradually; OnDelete replaces an old pod only after a client has deleted it.",
    ),
    rollingUpdate: field(2, RollingUpdateDaemonSet, "These bounds apply only when the type is RollingUpdate."),
  }),
);
export type DaemonSetUpdateStrategy = z.infer<typeof DaemonSetUpdateStrategy>;

export const DaemonSetSpec = object(
  "io.k8s.api.apps.v1.DaemonSetSpec",
  "The spec describes the pod that a DaemonSet keeps running on every eligible node.",
  () => ({
    selector: required(
      1,
      LabelSelector,
      "The DaemonSet owns the pods that match this selector; it must match the template's labels and cannot be changed.",
    ),
    template: required(
      2,
      PodTemplateSpec,
      "New pods are made from this template, one on every node that its node selector, node affinity and tolerations admit; its restartPolicy must be Always.",
    ),
    updateStrategy: field(3, DaemonSetUpdateStrategy, "The strategy decides how new pods replace old ones."),
    minReadySeconds: field(
      4,
      int32,
      "A new pod counts as available once it has been ready for this many seconds without a crash; the default is 0.",
    ),
    revisionHistoryLimit: field(6, int32, "This many old revisions are kept for rollbacks; the default is 10."),
  }),
);
export type DaemonSetSpec = z.infer<typeof DaemonSetSpec>;

export const DaemonSetCondition = object(
  "io.k8s.api.apps.v1.DaemonSetCondition",
  "A condition describes one aspect of a DaemonSet's state.",
  () => ({
    type: required(1, text, "The type names the aspect."),
    status: required(2, conditionStatus, "The status of the condition is True, False or Unknown."),
    lastTransitionTime: field(3, time, "The status of the condition last changed at this time."),
    reason: field(4, text, "One CamelCase word gives the reason for the last change of the condition."),
    message: field(5, text, "A text for people gives the details of the last change of the condition."),
  }),
);
export type DaemonSetCondition = z.infer<typeof DaemonSetCondition>;

export const DaemonSetStatus = object(
  "io.k8s.api.apps.v1.DaemonSetStatus",
  "The status reports on how many nodes the pods of a DaemonSet run.",
  () => ({
    currentNumberScheduled: required(1, int32, "This many nodes have a pod of the DaemonSet and are to have one."),
    numberMisscheduled: required(2, int32, "This many nodes have a pod of the DaemonSet and are not to have one."),
    desiredNumberScheduled: required(3, int32, "This many nodes are to have a pod of the DaemonSet."),
    numberReady: required(4, int32, "This many nodes that are to have a pod have one that is ready."),
    observedGeneration: field(
      5,
      int64,
      "The controller had seen this generation of the object when it wrote the status.",
    ),
    updatedNumberScheduled: field(6, int32, "This many nodes have a pod that is made from the current template."),
    numberAvailable: field(7, int32, "This many nodes have a pod that has been ready for at least minReadySeconds."),
    numberUnavailable: field(8, int32, "This many nodes that are to have a pod have none that is available."),
    collisionCount: field(
      9,
      int32,
      "The controller counts here how often the name of a new revision was already taken, to find a free name.",
    ),
    conditions: field(
      10,
      keyedList(DaemonSetCondition, ["type"]),
      "Conditions describe the object's current state, one aspect each.",
    ),
  }),
);
export type DaemonSetStatus = z.infer<typeof DaemonSetStatus>;

export const DaemonSet = kind(
  "io.k8s.api.apps.v1.DaemonSet",
  "A DaemonSet keeps one pod running on every node that its template admits.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: field(2, DaemonSetSpec, "The spec describes the desired state of the DaemonSet."),
    status: field(3, DaemonSetStatus, "The status reports the last observed state of the DaemonSet."),
  }),
);
export type DaemonSet = z.infer<typeof DaemonSet>;
