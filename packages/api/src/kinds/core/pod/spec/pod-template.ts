import type { z } from "zod";
import { ObjectMeta } from "../../../../meta/object-meta.ts";
import { field, object } from "../../../../schema/fields.ts";
import { PodSpec } from "./pod-spec.ts";

export const PodTemplateSpec = object(
  "io.k8s.api.core.v1.PodTemplateSpec",
  "PodTemplateSpec is the template of the pods that a controller creates.",
  () => ({
    metadata: field(1, ObjectMeta, "Labels and annotations of the pods."),
    spec: field(2, PodSpec, "Desired state of the pods."),
  }),
);
export type PodTemplateSpec = z.infer<typeof PodTemplateSpec>;
