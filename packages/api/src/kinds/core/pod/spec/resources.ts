import type { z } from "zod";
import { field, object, required } from "../../../../schema/fields.ts";
import { keyedListReplaced, map, quantity, text } from "../../../../schema/types.ts";

const UsedResourceClaim = object(
  "io.k8s.api.core.v1.ResourceClaim",
  "ResourceClaim refers to one of the pod's resource claims.",
  () => ({
    name: required(1, text, "Name of an entry of the pod's resourceClaims."),
    request: field(2, text, "Request of the claim that the container uses. Defaults to the whole claim."),
  }),
);

export const ResourceRequirements = object(
  "io.k8s.api.core.v1.ResourceRequirements",
  "ResourceRequirements lists the compute resources that a container requires and may use.",
  () => ({
    limits: field(1, map(quantity), "Maximum amounts of resources that the container may use."),
    requests: field(
      2,
      map(quantity),
      "Minimum amounts of resources that the container requires. Defaults to the limits.",
    ),
    claims: field(
      3,
      keyedListReplaced(UsedResourceClaim, ["name"]),
      "Resource claims of the pod that the container uses.",
    ),
  }),
);
export type ResourceRequirements = z.infer<typeof ResourceRequirements>;

export const VolumeResourceRequirements = object(
  "io.k8s.api.core.v1.VolumeResourceRequirements",
  "VolumeResourceRequirements lists the minimum and maximum resources of a volume.",
  () => ({
    limits: field(1, map(quantity), "Maximum amounts of the volume's resources."),
    requests: field(2, map(quantity), "Minimum amounts of the volume's resources, such as storage."),
  }),
);
export type VolumeResourceRequirements = z.infer<typeof VolumeResourceRequirements>;
