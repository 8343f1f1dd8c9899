import type { z } from "zod";
import { ObjectMeta } from "../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../schema/fields.ts";
import { atomicList, keyedList, oneOf, text, time } from "../../schema/types.ts";
import { conditionStatus } from "../../schema/words.ts";

export const NamespaceSpec = object("io.k8s.api.core.v1.NamespaceSpec", {
  finalizers: field(1, atomicList(text)),
});
export type NamespaceSpec = z.infer<typeof NamespaceSpec>;

export const NamespaceCondition = object("io.k8s.api.core.v1.NamespaceCondition", {
  type: required(1, text),
  status: required(2, conditionStatus),
  lastTransitionTime: field(4, time),
  reason: field(5, text),
  message: field(6, text),
});
export type NamespaceCondition = z.infer<typeof NamespaceCondition>;

export const NamespaceStatus = object("io.k8s.api.core.v1.NamespaceStatus", {
  phase: field(1, oneOf("Active", "Terminating")),
  conditions: field(2, keyedList(NamespaceCondition, ["type"])),
});
export type NamespaceStatus = z.infer<typeof NamespaceStatus>;

export const Namespace = kind("io.k8s.api.core.v1.Namespace", {
  metadata: always(1, ObjectMeta),
  spec: field(2, NamespaceSpec),
  status: field(3, NamespaceStatus),
});
export type Namespace = z.infer<typeof Namespace>;
