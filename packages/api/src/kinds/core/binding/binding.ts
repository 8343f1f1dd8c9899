import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, kind, required } from "../../../schema/fields.ts";
import { ObjectReference } from "../references.ts";

export const Binding = kind(
  "io.k8s.api.core.v1.Binding",
  "Ties a pod to a node; written once, by the scheduler.",
  () => ({
    metadata: always(1, ObjectMeta, "Names the pod."),
    target: required(2, ObjectReference, "The node."),
  }),
);
export type Binding = z.infer<typeof Binding>;
