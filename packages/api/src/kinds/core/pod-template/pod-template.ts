import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind } from "../../../schema/fields.ts";
import { PodTemplateSpec } from "../pod/spec/pod-template.ts";

export const PodTemplate = kind(
  "io.k8s.api.core.v1.PodTemplate",
  "A PodTemplate keeps a description of pods, from which its readers make pods.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    template: field(2, PodTemplateSpec, "The template describes the pods."),
  }),
);
export type PodTemplate = z.infer<typeof PodTemplate>;
