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
      "Maximum number of unavailable pods during an update, as a number or a percentage of the desired pods. A percentage is rounded up. Defaults to 1. Must not be 0 if maxSurge is 0.",
    ),
    maxSurge: field(
      2,
      intOrString,
      "Maximum number of nodes that may run both an old and a new pod during an update, as a number or a percentage of the desired pods. A percentage is rounded up. Defaults to 0.",
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
    rollingUpdate: field(2, RollingUpdateDaemonSet, "Settings of the update. Applies only to the type RollingUpdate."),
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
      "Template of the pods. Its node selector, node affinity and tolerations limit the nodes that run a pod. The restartPolicy must be Always.",
    ),
    updateStrategy: field(3, DaemonSetUpdateStrategy, "Strategy for replacing old pods with new pods."),
    minReadySeconds: field(
      4,
      int32,
      "Number of seconds that a new pod must be ready, without a container crash, before the pod is available. Defaults to 0.",
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
    lastTransitionTime: field(3, time, "Time at which the condition's status last changed."),
    reason: field(4, text, "Reason for the condition's last transition, one CamelCase word."),
    message: field(5, text, "Human-readable details of the condition's last transition."),
  }),
);
export type DaemonSetCondition = z.infer<typeof DaemonSetCondition>;

export const DaemonSetStatus = object("io.k8s.api.apps.v1.DaemonSetStatus", "Observed state of a DaemonSet.", () => ({
  currentNumberScheduled: required(
    1,
    int32,
    "Number of nodes that run a pod of the DaemonSet and are supposed to run one.",
  ),
  numberMisscheduled: required(
    2,
    int32,
    "Number of nodes that run a pod of the DaemonSet but are not supposed to run one.",
  ),
  desiredNumberScheduled: required(3, int32, "Number of nodes that are supposed to run a pod of the DaemonSet."),
  numberReady: required(4, int32, "Number of nodes that are supposed to run a pod and have a ready pod."),
  observedGeneration: field(5, int64, "Generation of the object that the status describes."),
  updatedNumberScheduled: field(6, int32, "Number of nodes whose pod has the current template."),
  numberAvailable: field(7, int32, "Number of nodes whose pod has been ready for at least minReadySeconds."),
  numberUnavailable: field(8, int32, "Number of nodes that are supposed to run a pod and have no available pod."),
  collisionCount: field(
    9,
    int32,
    "Number of name collisions of new revisions. The controller uses the number to generate a unique name.",
  ),
  conditions: field(
    10,
    keyedList(DaemonSetCondition, ["type"]),
    "Observed conditions of the object, one of each type.",
  ),
}));
export type DaemonSetStatus = z.infer<typeof DaemonSetStatus>;

export const DaemonSet = kind(
  "io.k8s.api.apps.v1.DaemonSet",
  "A DaemonSet runs one pod on every node that the pod template allows.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    spec: field(2, DaemonSetSpec, "Desired state of the DaemonSet."),
    status: field(3, DaemonSetStatus, "Observed state of the DaemonSet."),
  }),
);
export type DaemonSet = z.infer<typeof DaemonSet>;
