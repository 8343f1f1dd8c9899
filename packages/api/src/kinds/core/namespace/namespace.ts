import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, keyedList, oneOf, text, time } from "../../../schema/types.ts";
import { conditionStatus } from "../../../schema/words.ts";

export const NamespaceSpec = object(
  "io.k8s.api.core.v1.NamespaceSpec",
  "What has to be done before a namespace is gone.",
  () => ({
    finalizers: field(1, atomicList(text), "Who has to do something before it is gone."),
  }),
);
export type NamespaceSpec = z.infer<typeof NamespaceSpec>;

export const NamespaceCondition = object(
  "io.k8s.api.core.v1.NamespaceCondition",
  "One aspect of a namespace's state.",
  () => ({
    type: required(1, text),
    status: required(2, conditionStatus),
    lastTransitionTime: field(4, time),
    reason: field(5, text),
    message: field(6, text),
  }),
);
export type NamespaceCondition = z.infer<typeof NamespaceCondition>;

export const NamespaceStatus = object(
  "io.k8s.api.core.v1.NamespaceStatus",
  "Whether a namespace is in use or going away.",
  () => ({
    phase: field(1, oneOf("Active", "Terminating"), "Active or Terminating."),
    conditions: field(2, keyedList(NamespaceCondition, ["type"]), "What holds back its end."),
  }),
);
export type NamespaceStatus = z.infer<typeof NamespaceStatus>;

export const Namespace = kind(
  "io.k8s.api.core.v1.Namespace",
  "A room for names: objects in different namespaces may be called the same.",
  () => ({
    metadata: always(1, ObjectMeta),
    spec: field(2, NamespaceSpec, "What has to be done before it is gone."),
    status: field(3, NamespaceStatus, "Whether it is in use."),
  }),
);
export type Namespace = z.infer<typeof Namespace>;
