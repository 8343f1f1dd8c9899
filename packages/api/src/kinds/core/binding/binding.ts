import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, kind, required } from "../../../schema/fields.ts";
import { ObjectReference } from "../references.ts";

export const Binding = kind(
  "io.k8s.api.core.v1.Binding",
  "A Binding assigns a pod to a node; the scheduler creates it.",
  () => ({
    metadata: always(1, ObjectMeta, "The name and namespace identify the pod that is bound."),
    target: required(2, ObjectReference, "The pod is bound to this node."),
  }),
);
export type Binding = z.infer<typeof Binding>;
