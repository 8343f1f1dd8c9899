import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, keyedList, oneOf, text, time } from "../../../schema/types.ts";
import { conditionStatus } from "../../../schema/words.ts";

export const NamespaceSpec = object(
  "io.k8s.api.core.v1.NamespaceSpec",
  "The spec lists the finalizers of a namespace.",
  () => ({
    finalizers: field(
      1,
      atomicList(text),
      "The namespace is removed only when every finalizer in this list has been removed.",
    ),
  }),
);
export type NamespaceSpec = z.infer<typeof NamespaceSpec>;

export const NamespaceCondition = object(
  "io.k8s.api.core.v1.NamespaceCondition",
  "A condition describes one aspect of a namespace's deletion.",
  () => ({
    type: required(1, text, "The type names the aspect, such as NamespaceContentRemaining."),
    status: required(2, conditionStatus, "The status of the condition is True, False or Unknown."),
    lastTransitionTime: field(4, time, "The status of the condition last changed at this time."),
    reason: field(5, text, "One CamelCase word gives the reason for the last change of the condition."),
    message: field(6, text, "A text for people gives the details of the last change of the condition."),
  }),
);
export type NamespaceCondition = z.infer<typeof NamespaceCondition>;

export const NamespaceStatus = object(
  "io.k8s.api.core.v1.NamespaceStatus",
  "The status reports the phase of the namespace.",
  () => ({
    phase: field(
      1,
      oneOf("Active", "Terminating"),
      "The phase is Active, or Terminating once the namespace is being deleted.",
    ),
    conditions: field(
      2,
      keyedList(NamespaceCondition, ["type"]),
      "Conditions report the progress of a deletion, and its obstacles.",
    ),
  }),
);
export type NamespaceStatus = z.infer<typeof NamespaceStatus>;

export const Namespace = kind(
  "io.k8s.api.core.v1.Namespace",
  "A Namespace is a scope for names: two objects of a kind may share a name if their namespaces differ.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: field(2, NamespaceSpec, "The spec lists the finalizers of the namespace."),
    status: field(3, NamespaceStatus, "The status reports the phase of the namespace."),
  }),
);
export type Namespace = z.infer<typeof Namespace>;
