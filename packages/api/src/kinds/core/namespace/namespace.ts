import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, keyedList, oneOf, text, time } from "../../../schema/types.ts";
import { conditionStatus } from "../../../schema/words.ts";

export const NamespaceSpec = object("io.k8s.api.core.v1.NamespaceSpec", "Finalizers of a namespace.", () => ({
  finalizers: field(
    1,
    atomicList(text),
    "Finalizers of the namespace, which is removed only after all finalizers are removed.",
  ),
}));
export type NamespaceSpec = z.infer<typeof NamespaceSpec>;

export const NamespaceCondition = object(
  "io.k8s.api.core.v1.NamespaceCondition",
  "NamespaceCondition describes one aspect of a namespace's deletion.",
  () => ({
    type: required(1, text, "Type of the condition, such as NamespaceContentRemaining."),
    status: required(2, conditionStatus, "Status of the condition: True, False or Unknown."),
    lastTransitionTime: field(4, time, "Time at which the condition's status last changed."),
    reason: field(5, text, "Reason for the condition's last transition, one CamelCase word."),
    message: field(6, text, "Human-readable details of the condition's last transition."),
  }),
);
export type NamespaceCondition = z.infer<typeof NamespaceCondition>;

export const NamespaceStatus = object("io.k8s.api.core.v1.NamespaceStatus", "Observed state of a namespace.", () => ({
  phase: field(
    1,
    oneOf("Active", "Terminating"),
    "Phase of the namespace: Active, or Terminating if it is being deleted.",
  ),
  conditions: field(
    2,
    keyedList(NamespaceCondition, ["type"]),
    "Conditions that report the progress of the deletion and its obstacles.",
  ),
}));
export type NamespaceStatus = z.infer<typeof NamespaceStatus>;

export const Namespace = kind(
  "io.k8s.api.core.v1.Namespace",
  "A Namespace is a scope for names. Objects of the same kind may have the same name in different namespaces.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
    spec: field(2, NamespaceSpec, "Finalizers of the namespace."),
    status: field(3, NamespaceStatus, "Observed state of the namespace."),
  }),
);
export type Namespace = z.infer<typeof Namespace>;
