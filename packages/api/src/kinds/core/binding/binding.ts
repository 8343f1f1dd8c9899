import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, kind, required } from "../../../schema/fields.ts";
import { ObjectReference } from "../references.ts";

export const Binding = kind(
  "io.k8s.api.core.v1.Binding",
  "A Binding assigns a pod to a node. The scheduler creates the Binding.",
  () => ({
    metadata: always(1, ObjectMeta, "Name and namespace of the pod."),
    target: required(2, ObjectReference, "Node that the pod is bound to."),
  }),
);
export type Binding = z.infer<typeof Binding>;
