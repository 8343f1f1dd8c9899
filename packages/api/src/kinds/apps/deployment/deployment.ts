import type { z } from "zod";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { bool, int32, int64, intOrString, keyedList, oneOf, retainingKeys, text, time } from "../../../schema/types.ts";
import { conditionStatus } from "../../../schema/words.ts";
import { PodTemplateSpec } from "../../core/pod/spec/pod-template.ts";

export const RollingUpdateDeployment = object(
  "io.k8s.api.apps.v1.RollingUpdateDeployment",
  "A rolling update keeps the number of pods within these bounds.",
  () => ({
    maxUnavailable: field(
      1,
      intOrString,
      "No more than this many pods, a number or a percentage of the wanted ones, may be unavailable during an update; the default is 25%, rounded down.",
    ),
    maxSurge: field(
      2,
      intOrString,
      "No more than this many pods, a number or a percentage of the wanted ones, may exist above the wanted number during an update; the default is 25%, rounded up.",
    ),
  }),
);
export type RollingUpdateDeployment = z.infer<typeof RollingUpdateDeployment>;

export const DeploymentStrategy = object(
  "io.k8s.api.apps.v1.DeploymentStrategy",
  "The strategy decides how new pods replace old ones.",
  () => ({
    type: field(
      1,
      oneOf("Recreate", "RollingUpdate"),
      "RollingUpdate, the default, replaces pods gradually; Recreate deletes all old pods before it creates new ones.",
    ),
    rollingUpdate: field(2, RollingUpdateDeployment, "These bounds apply only when the type is RollingUpdate."),
  }),
);
export type DeploymentStrategy = z.infer<typeof DeploymentStrategy>;

export const DeploymentSpec = object(
  "io.k8s.api.apps.v1.DeploymentSpec",
  "The spec describes the pods that a Deployment keeps running and the way it rolls out changes.",
  () => ({
    replicas: field(1, int32, "The Deployment keeps this many pods; the default is 1."),
    selector: required(
      2,
      LabelSelector,
      "The Deployment owns the ReplicaSets and pods that match this selector; it must match the template's labels and cannot be changed.",
    ),
    template: required(3, PodTemplateSpec, "New pods are made from this template; its restartPolicy must be Always."),
    strategy: field(4, retainingKeys(DeploymentStrategy), "The strategy decides how new pods replace old ones."),
    minReadySeconds: field(
      5,
      int32,
      "A new pod counts as available once it has been ready for this many seconds without a crash; the default is 0.",
    ),
    revisionHistoryLimit: field(6, int32, "This many old ReplicaSets are kept for rollbacks; the default is 10."),
    paused: field(7, bool, "The Deployment rolls out no changes of the template while this is true."),
    progressDeadlineSeconds: field(
      9,
      int32,
      "A rollout that makes no progress for this many seconds is reported as failed with the reason ProgressDeadlineExceeded; the default is 600.",
    ),
  }),
);
export type DeploymentSpec = z.infer<typeof DeploymentSpec>;

export const DeploymentCondition = object(
  "io.k8s.api.apps.v1.DeploymentCondition",
  "A condition describes one aspect of a Deployment's state.",
  () => ({
    type: required(1, text, "The type names the aspect: Available, Progressing or ReplicaFailure."),
    status: required(2, conditionStatus, "The status of the condition is True, False or Unknown."),
    reason: field(4, text, "One CamelCase word gives the reason for the last change of the condition."),
    message: field(5, text, "A text for people gives the details of the last change of the condition."),
    lastUpdateTime: field(6, time, "The condition was last written at this time."),
    lastTransitionTime: field(7, time, "The status of the condition last changed at this time."),
  }),
);
export type DeploymentCondition = z.infer<typeof DeploymentCondition>;

export const DeploymentStatus = object(
  "io.k8s.api.apps.v1.DeploymentStatus",
  "The status reports how far the Deployment's rollout has come.",
  () => ({
    observedGeneration: field(
      1,
      int64,
      "The controller had seen this generation of the object when it wrote the status.",
    ),
    replicas: field(2, int32, "The Deployment has this many pods that are not terminating."),
    updatedReplicas: field(3, int32, "This many pods that are not terminating are made from the current template."),
    availableReplicas: field(4, int32, "This many pods have been ready for at least minReadySeconds."),
    unavailableReplicas: field(5, int32, "This many pods are still missing or not yet available."),
    conditions: field(
      6,
      keyedList(DeploymentCondition, ["type"]),
      "Conditions describe the object's current state, one aspect each.",
    ),
    readyReplicas: field(7, int32, "This many pods are ready."),
    collisionCount: field(
      8,
      int32,
      "The controller counts here how often the name of a new ReplicaSet was already taken, to find a free name.",
    ),
    terminatingReplicas: field(9, int32, "This many pods of the Deployment are terminating."),
  }),
);
export type DeploymentStatus = z.infer<typeof DeploymentStatus>;

export const Deployment = kind(
  "io.k8s.api.apps.v1.Deployment",
  "A Deployment keeps a number of equal pods running through ReplicaSets and rolls out changes of their template.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: field(2, DeploymentSpec, "The spec describes the desired state of the Deployment."),
    status: field(3, DeploymentStatus, "The status reports the last observed state of the Deployment."),
  }),
);
export type Deployment = z.infer<typeof Deployment>;
