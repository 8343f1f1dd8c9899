import type { z } from "zod";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { bool, int32, int64, intOrString, keyedList, oneOf, retainingKeys, text, time } from "../../../schema/types.ts";
import { conditionStatus } from "../../../schema/words.ts";
import { PodTemplateSpec } from "../../core/pod/spec/pod-template.ts";

export const RollingUpdateDeployment = object(
  "io.k8s.api.apps.v1.RollingUpdateDeployment",
  "How far a rolling update may stray from the wanted number of pods.",
  () => ({
    maxUnavailable: field(1, intOrString, "How many pods, or what share of them, may be unavailable; 25% when unset."),
    maxSurge: field(2, intOrString, "How many pods, or what share of them, may be there in addition; 25% when unset."),
  }),
);
export type RollingUpdateDeployment = z.infer<typeof RollingUpdateDeployment>;

export const DeploymentStrategy = object(
  "io.k8s.api.apps.v1.DeploymentStrategy",
  "How old pods are replaced by new ones.",
  () => ({
    type: field(1, oneOf("Recreate", "RollingUpdate"), "RollingUpdate unless told otherwise."),
    rollingUpdate: field(2, RollingUpdateDeployment, "Only for RollingUpdate."),
  }),
);
export type DeploymentStrategy = z.infer<typeof DeploymentStrategy>;

export const DeploymentSpec = object(
  "io.k8s.api.apps.v1.DeploymentSpec",
  "How many pods are wanted, of what kind, and how a change of kind is rolled out.",
  () => ({
    replicas: field(1, int32, "How many pods are wanted; 1 when unset."),
    selector: required(2, LabelSelector, "Which ReplicaSets and pods are its own; never changes."),
    template: required(3, PodTemplateSpec, "What new pods are made from."),
    strategy: field(4, retainingKeys(DeploymentStrategy), "How old pods are replaced by new ones."),
    minReadySeconds: field(5, int32, "How long a pod has to be ready to count as available."),
    revisionHistoryLimit: field(6, int32, "How many old ReplicaSets are kept to go back to; 10 when unset."),
    paused: field(7, bool, "Whether changes of the template wait."),
    progressDeadlineSeconds: field(
      9,
      int32,
      "How long a rollout may go without progress until it counts as failed; 600 when unset.",
    ),
  }),
);
export type DeploymentSpec = z.infer<typeof DeploymentSpec>;

export const DeploymentCondition = object(
  "io.k8s.api.apps.v1.DeploymentCondition",
  "One aspect of a Deployment's state.",
  () => ({
    type: required(1, text),
    status: required(2, conditionStatus),
    reason: field(4, text),
    message: field(5, text),
    lastUpdateTime: field(6, time),
    lastTransitionTime: field(7, time),
  }),
);
export type DeploymentCondition = z.infer<typeof DeploymentCondition>;

export const DeploymentStatus = object("io.k8s.api.apps.v1.DeploymentStatus", "How far the rollout is.", () => ({
  observedGeneration: field(1, int64, "Which generation this is about."),
  replicas: field(2, int32, "How many pods there are."),
  updatedReplicas: field(3, int32, "How many are made from the present template."),
  availableReplicas: field(4, int32, "How many have been ready long enough."),
  unavailableReplicas: field(5, int32, "How many are missing until all that are asked for are available."),
  conditions: field(6, keyedList(DeploymentCondition, ["type"]), "How it is, aspect by aspect."),
  readyReplicas: field(7, int32, "How many are ready."),
  collisionCount: field(8, int32, "How often the name of a new ReplicaSet was taken already."),
  terminatingReplicas: field(9, int32, "How many are on their way out."),
}));
export type DeploymentStatus = z.infer<typeof DeploymentStatus>;

export const Deployment = kind(
  "io.k8s.api.apps.v1.Deployment",
  "Keeps pods running through ReplicaSets, and rolls out changes of what they run.",
  () => ({
    metadata: always(1, ObjectMeta),
    spec: field(2, DeploymentSpec, "What is wanted."),
    status: field(3, DeploymentStatus, "How far the rollout is."),
  }),
);
export type Deployment = z.infer<typeof Deployment>;
