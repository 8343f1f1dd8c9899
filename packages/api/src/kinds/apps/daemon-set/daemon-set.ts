import type { z } from "zod";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { int32, int64, intOrString, keyedList, oneOf, text, time } from "../../../schema/types.ts";
import { conditionStatus } from "../../../schema/words.ts";
import { PodTemplateSpec } from "../../core/pod/spec/pod-template.ts";

export const RollingUpdateDaemonSet = object(
  "io.k8s.api.apps.v1.RollingUpdateDaemonSet",
  "Limits of a rolling update of a DaemonSet.",
  () => ({
    maxUnavailable: field(
      1,
      intOrString,
      "Maximum number of pods that may be unavailable during an update, a number or a percentage of the desired pods that is rounded up. Defaults to 1. 0 is allowed only with maxSurge.",
    ),
    maxSurge: field(
      2,
      intOrString,
      "Maximum number of nodes that may run an old and a new pod at the same time during an update, a number or a percentage of the desired pods that is rounded up. Defaults to 0.",
    ),
  }),
);
export type RollingUpdateDaemonSet = z.infer<typeof RollingUpdateDaemonSet>;

export const DaemonSetUpdateStrategy = object(
  "io.k8s.api.apps.v1.DaemonSetUpdateStrategy",
  "Strategy for replacing old pods with new pods.",
  () => ({
    type: field(
      1,
      oneOf("OnDelete", "RollingUpdate"),
      "Type of the strategy: RollingUpdate replaces pods gradually, OnDelete replaces a pod only after a client has deleted it. Defaults to RollingUpdate.",
    ),
    rollingUpdate: field(2, RollingUpdateDaemonSet, "Limits of the update. Applies only to the type RollingUpdate."),
  }),
);
export type DaemonSetUpdateStrategy = z.infer<typeof DaemonSetUpdateStrategy>;

export const DaemonSetSpec = object(
  "io.k8s.api.apps.v1.DaemonSetSpec",
  "Desired state of a DaemonSet, which runs a pod on every eligible node.",
  () => ({
    selector: required(
      1,
      LabelSelector,
      "Label selector of the DaemonSet's pods. Must match the template's labels. Immutable.",
    ),
    template: required(
      2,
      PodTemplateSpec,
      "Template of the pods. Node selector, node affinity and tolerations decide which nodes run a pod. The restartPolicy must be Always.",
    ),
    updateStrategy: field(3, DaemonSetUpdateStrategy, "Strategy for replacing old pods with new pods."),
    minReadySeconds: field(
      4,
      int32,
      "Time for which a new pod must be ready without a crash to count as available, in seconds. Defaults to 0.",
    ),
    revisionHistoryLimit: field(6, int32, "Number of old revisions that are kept for rollbacks. Defaults to 10."),
  }),
);
export type DaemonSetSpec = z.infer<typeof DaemonSetSpec>;

export const DaemonSetCondition = object(
  "io.k8s.api.apps.v1.DaemonSetCondition",
  "DaemonSetCondition describes one aspect of a DaemonSet's state.",
  () => ({
    type: required(1, text, "Type of the condition."),
    status: required(2, conditionStatus, "Status of the condition: True, False or Unknown."),
    lastTransitionTime: field(3, time, "Time of the last change of the condition's status."),
    reason: field(4, text, "Reason for the last change of the condition, one CamelCase word."),
    message: field(5, text, "Human-readable details of the last change of the condition."),
  }),
);
export type DaemonSetCondition = z.infer<typeof DaemonSetCondition>;

export const DaemonSetStatus = object("io.k8s.api.apps.v1.DaemonSetStatus", "Observed state of a DaemonSet.", () => ({
  currentNumberScheduled: required(1, int32, "Number of nodes that run a pod of the DaemonSet and should."),
  numberMisscheduled: required(2, int32, "Number of nodes that run a pod of the DaemonSet but should not."),
  desiredNumberScheduled: required(3, int32, "Number of nodes that should run a pod of the DaemonSet."),
  numberReady: required(4, int32, "Number of nodes that should run a pod and have a ready pod."),
  observedGeneration: field(5, int64, "Generation of the object that the status describes."),
  updatedNumberScheduled: field(6, int32, "Number of nodes whose pod has the current template."),
  numberAvailable: field(7, int32, "Number of nodes whose pod has been ready for at least minReadySeconds."),
  numberUnavailable: field(8, int32, "Number of nodes that should run a pod and have no available pod."),
  collisionCount: field(
    9,
    int32,
    "Number of name collisions of new revisions. The controller uses it to generate a free name.",
  ),
  conditions: field(
    10,
    keyedList(DaemonSetCondition, ["type"]),
    "Conditions of the object's current state, one for each aspect.",
  ),
}));
export type DaemonSetStatus = z.infer<typeof DaemonSetStatus>;

export const DaemonSet = kind(
  "io.k8s.api.apps.v1.DaemonSet",
  "A DaemonSet keeps one pod running on every node that its template admits.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    spec: field(2, DaemonSetSpec, "Desired state of the DaemonSet."),
    status: field(3, DaemonSetStatus, "Observed state of the DaemonSet."),
  }),
);
export type DaemonSet = z.infer<typeof DaemonSet>;
