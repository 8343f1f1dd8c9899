import type { z } from "zod";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { bool, int32, int64, intOrString, keyedList, oneOf, retainingKeys, text, time } from "../../../schema/types.ts";
import { conditionStatus } from "../../../schema/words.ts";
import { PodTemplateSpec } from "../../core/pod/spec/pod-template.ts";

export const RollingUpdateDeployment = object(
  "io.k8s.api.apps.v1.RollingUpdateDeployment",
  "Limits of a rolling update of a Deployment.",
  () => ({
    maxUnavailable: field(
      1,
      intOrString,
      "Maximum number of unavailable pods during an update, as a number or a percentage of the desired pods. A percentage is rounded down. Defaults to 25%.",
    ),
    maxSurge: field(
      2,
      intOrString,
      "Maximum number of pods above the desired number during an update, as a number or a percentage of the desired pods. A percentage is rounded up. Defaults to 25%.",
    ),
  }),
);
export type RollingUpdateDeployment = z.infer<typeof RollingUpdateDeployment>;

export const DeploymentStrategy = object(
  "io.k8s.api.apps.v1.DeploymentStrategy",
  "Strategy for replacing old pods with new pods.",
  () => ({
    type: field(
      1,
      oneOf("Recreate", "RollingUpdate"),
      "Type of the strategy: RollingUpdate replaces pods gradually, Recreate deletes all old pods before it creates new pods. Defaults to RollingUpdate.",
    ),
    rollingUpdate: field(2, RollingUpdateDeployment, "Settings of the update. Applies only to the type RollingUpdate."),
  }),
);
export type DeploymentStrategy = z.infer<typeof DeploymentStrategy>;

export const DeploymentSpec = object(
  "io.k8s.api.apps.v1.DeploymentSpec",
  "Desired state of a Deployment: its pods and the strategy for rolling out changes.",
  () => ({
    replicas: field(1, int32, "Number of desired pods. Defaults to 1."),
    selector: required(
      2,
      LabelSelector,
      "Label selector of the Deployment's ReplicaSets and pods. Must match the template's labels. Immutable.",
    ),
    template: required(3, PodTemplateSpec, "Template of the pods. The restartPolicy must be Always."),
    strategy: field(4, retainingKeys(DeploymentStrategy), "Strategy for replacing old pods with new pods."),
    minReadySeconds: field(
      5,
      int32,
      "Number of seconds that a new pod must be ready, without a container crash, before the pod is available. Defaults to 0.",
    ),
    revisionHistoryLimit: field(6, int32, "Number of old ReplicaSets that are kept for rollbacks. Defaults to 10."),
    paused: field(7, bool, "Pauses the rollout of template changes if true."),
    progressDeadlineSeconds: field(
      9,
      int32,
      "Maximum number of seconds for a rollout to make progress. A slower rollout is reported as failed with the reason ProgressDeadlineExceeded. Defaults to 600.",
    ),
  }),
);
export type DeploymentSpec = z.infer<typeof DeploymentSpec>;

export const DeploymentCondition = object(
  "io.k8s.api.apps.v1.DeploymentCondition",
  "DeploymentCondition describes one aspect of a Deployment's state.",
  () => ({
    type: required(1, text, "Type of the condition: Available, Progressing or ReplicaFailure."),
    status: required(2, conditionStatus, "Status of the condition: True, False or Unknown."),
    reason: field(4, text, "Reason for the condition's last transition, one CamelCase word."),
    message: field(5, text, "Human-readable details of the condition's last transition."),
    lastUpdateTime: field(6, time, "Time of the last update of the condition."),
    lastTransitionTime: field(7, time, "Time at which the condition's status last changed."),
  }),
);
export type DeploymentCondition = z.infer<typeof DeploymentCondition>;

export const DeploymentStatus = object(
  "io.k8s.api.apps.v1.DeploymentStatus",
  "Observed state of a Deployment and the progress of its rollout.",
  () => ({
    observedGeneration: field(1, int64, "Generation of the object that the status describes."),
    replicas: field(2, int32, "Number of non-terminating pods of the Deployment."),
    updatedReplicas: field(3, int32, "Number of non-terminating pods with the current template."),
    availableReplicas: field(4, int32, "Number of pods that have been ready for at least minReadySeconds."),
    unavailableReplicas: field(5, int32, "Number of desired pods that do not exist yet or are not available."),
    conditions: field(
      6,
      keyedList(DeploymentCondition, ["type"]),
      "Observed conditions of the object, one of each type.",
    ),
    readyReplicas: field(7, int32, "Number of ready pods."),
    collisionCount: field(
      8,
      int32,
      "Number of name collisions of new ReplicaSets. The controller uses the number to generate a unique name.",
    ),
    terminatingReplicas: field(9, int32, "Number of terminating pods of the Deployment."),
  }),
);
export type DeploymentStatus = z.infer<typeof DeploymentStatus>;

export const Deployment = kind(
  "io.k8s.api.apps.v1.Deployment",
  "A Deployment runs a number of identical pods through ReplicaSets and rolls out changes to the pod template.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    spec: field(2, DeploymentSpec, "Desired state of the Deployment."),
    status: field(3, DeploymentStatus, "Observed state of the Deployment."),
  }),
);
export type Deployment = z.infer<typeof Deployment>;
