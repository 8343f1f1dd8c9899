import type { z } from "zod";
import { field, object, required } from "../../../../schema/fields.ts";
import { keyedListReplaced, map, quantity, text } from "../../../../schema/types.ts";

const UsedResourceClaim = object(
  "io.k8s.api.core.v1.ResourceClaim",
  "The entry names one of the pod's resource claims for a container.",
  () => ({
    name: required(1, text, "The name must match an entry of the pod's resourceClaims."),
    request: field(2, text, "The container uses only this request of the claim; the default is the whole claim."),
  }),
);

export const ResourceRequirements = object(
  "io.k8s.api.core.v1.ResourceRequirements",
  "The requirements state the compute resources that a container requires and may use.",
  () => ({
    limits: field(1, map(quantity), "The container may use at most these amounts of resources."),
    requests: field(
      2,
      map(quantity),
      "The container requires at least these amounts of resources; the default for a resource is its limit.",
    ),
    claims: field(
      3,
      keyedListReplaced(UsedResourceClaim, ["name"]),
      "The container uses these of the pod's resource claims.",
    ),
  }),
);
export type ResourceRequirements = z.infer<typeof ResourceRequirements>;

export const VolumeResourceRequirements = object(
  "io.k8s.api.core.v1.VolumeResourceRequirements",
  "The requirements state the storage that a volume has.",
  () => ({
    limits: field(1, map(quantity), "The volume may have at most these amounts of resources."),
    requests: field(2, map(quantity), "The volume must have at least these amounts of resources, such as storage."),
  }),
);
export type VolumeResourceRequirements = z.infer<typeof VolumeResourceRequirements>;
