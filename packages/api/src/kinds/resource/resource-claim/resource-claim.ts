import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, required } from "../../../schema/fields.ts";
import { allocatedDevicesOf } from "../devices/allocated-devices.ts";
import { requestedDevicesOf } from "../devices/requested-devices.ts";
import { namedInV1, namedInV1beta2, type NamedType } from "../devices/resource-versions.ts";

function resourceClaimOf(named: NamedType) {
  const requested = requestedDevicesOf(named);
  const { ResourceClaimStatus } = allocatedDevicesOf(named, requested);
  return kind(named("ResourceClaim"), "A ResourceClaim requests devices for pods.", () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    spec: required(2, requested.ResourceClaimSpec, "Devices that the claim requests. Immutable."),
    status: field(3, ResourceClaimStatus, "Allocated devices and the pods that may use the devices."),
  }));
}

export const ResourceClaim = resourceClaimOf(namedInV1);
export type ResourceClaim = z.infer<typeof ResourceClaim>;
export const ResourceClaimV1beta2 = resourceClaimOf(namedInV1beta2);
