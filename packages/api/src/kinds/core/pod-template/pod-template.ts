import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind } from "../../../schema/fields.ts";
import { PodTemplateSpec } from "../pod/spec/pod-template.ts";

export const PodTemplate = kind(
  "io.k8s.api.core.v1.PodTemplate",
  "A PodTemplate is a stored template from which clients create pods.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    template: field(2, PodTemplateSpec, "Template of the pods."),
  }),
);
export type PodTemplate = z.infer<typeof PodTemplate>;
