import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { int32, text } from "../../../schema/types.ts";

export const ScaleSpec = object("io.k8s.api.autoscaling.v1.ScaleSpec", "How many are wanted.", () => ({
  replicas: field(1, int32, "How many are wanted."),
}));
export type ScaleSpec = z.infer<typeof ScaleSpec>;

export const ScaleStatus = object("io.k8s.api.autoscaling.v1.ScaleStatus", "How many there are.", () => ({
  replicas: required(1, int32, "How many there are."),
  selector: field(2, text, "Which pods are counted."),
}));
export type ScaleStatus = z.infer<typeof ScaleStatus>;

export const Scale = kind("io.k8s.api.autoscaling.v1.Scale", "How many pods something keeps, whatever it is.", () => ({
  metadata: always(1, ObjectMeta),
  spec: field(2, ScaleSpec, "How many are wanted."),
  status: field(3, ScaleStatus, "How many there are."),
}));
export type Scale = z.infer<typeof Scale>;
