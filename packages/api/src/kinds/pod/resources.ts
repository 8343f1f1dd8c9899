import type { z } from "zod";
import { field, object, required } from "../../schema/fields.ts";
import { keyedListReplaced, map, quantity, text } from "../../schema/types.ts";

export const ResourceClaim = object("io.k8s.api.core.v1.ResourceClaim", {
  name: required(1, text),
  request: field(2, text),
});
export type ResourceClaim = z.infer<typeof ResourceClaim>;

export const ResourceRequirements = object("io.k8s.api.core.v1.ResourceRequirements", {
  limits: field(1, map(quantity)),
  requests: field(2, map(quantity)),
  claims: field(3, keyedListReplaced(ResourceClaim, ["name"])),
});
export type ResourceRequirements = z.infer<typeof ResourceRequirements>;

export const VolumeResourceRequirements = object("io.k8s.api.core.v1.VolumeResourceRequirements", {
  limits: field(1, map(quantity)),
  requests: field(2, map(quantity)),
});
export type VolumeResourceRequirements = z.infer<typeof VolumeResourceRequirements>;
