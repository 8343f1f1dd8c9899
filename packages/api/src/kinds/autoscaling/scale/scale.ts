import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { int32, text } from "../../../schema/types.ts";

export const ScaleSpec = object("io.k8s.api.autoscaling.v1.ScaleSpec", "Desired number of pods.", () => ({
  replicas: field(1, int32, "Number of desired pods."),
}));
export type ScaleSpec = z.infer<typeof ScaleSpec>;

export const ScaleStatus = object("io.k8s.api.autoscaling.v1.ScaleStatus", "Current number of pods.", () => ({
  replicas: required(1, int32, "Number of existing pods."),
  selector: field(2, text, "Label selector of the counted pods, in the text form of a query parameter."),
}));
export type ScaleStatus = z.infer<typeof ScaleStatus>;

export const Scale = kind(
  "io.k8s.api.autoscaling.v1.Scale",
  "A Scale is a request to read or change the number of pods of a scalable object.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    spec: field(2, ScaleSpec, "Desired number of pods."),
    status: field(3, ScaleStatus, "Current number of pods."),
  }),
);
export type Scale = z.infer<typeof Scale>;
