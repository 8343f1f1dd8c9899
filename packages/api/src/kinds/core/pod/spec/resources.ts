import type { z } from "zod";
import { field, object, required } from "../../../../schema/fields.ts";
import { keyedListReplaced, map, quantity, text } from "../../../../schema/types.ts";

export const ResourceClaim = object(
  "io.k8s.api.core.v1.ResourceClaim",
  "One of the pod's claims on devices, for a container.",
  () => ({
    name: required(1, text),
    request: field(2, text),
  }),
);
export type ResourceClaim = z.infer<typeof ResourceClaim>;

export const ResourceRequirements = object(
  "io.k8s.api.core.v1.ResourceRequirements",
  "What is set aside for a container, and what it may use at most.",
  () => ({
    limits: field(1, map(quantity), "What it may use at most."),
    requests: field(2, map(quantity), "What is set aside for it."),
    claims: field(3, keyedListReplaced(ResourceClaim, ["name"]), "Devices it uses."),
  }),
);
export type ResourceRequirements = z.infer<typeof ResourceRequirements>;

export const VolumeResourceRequirements = object(
  "io.k8s.api.core.v1.VolumeResourceRequirements",
  "How large a volume has to be.",
  () => ({
    limits: field(1, map(quantity)),
    requests: field(2, map(quantity)),
  }),
);
export type VolumeResourceRequirements = z.infer<typeof VolumeResourceRequirements>;
