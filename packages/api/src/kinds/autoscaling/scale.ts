import type { z } from "zod";
import { ObjectMeta } from "../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../schema/fields.ts";
import { int32, text } from "../../schema/types.ts";

export const ScaleSpec = object("io.k8s.api.autoscaling.v1.ScaleSpec", {
  replicas: field(1, int32),
});
export type ScaleSpec = z.infer<typeof ScaleSpec>;

export const ScaleStatus = object("io.k8s.api.autoscaling.v1.ScaleStatus", {
  replicas: required(1, int32),
  selector: field(2, text),
});
export type ScaleStatus = z.infer<typeof ScaleStatus>;

export const Scale = kind("io.k8s.api.autoscaling.v1.Scale", {
  metadata: always(1, ObjectMeta),
  spec: field(2, ScaleSpec),
  status: field(3, ScaleStatus),
});
export type Scale = z.infer<typeof Scale>;
