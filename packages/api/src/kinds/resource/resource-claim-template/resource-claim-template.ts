import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, kind, object, required } from "../../../schema/fields.ts";
import { requestedDevicesOf } from "../devices/requested-devices.ts";
import { namedInV1, namedInV1beta2, type NamedType } from "../devices/resource-versions.ts";

function resourceClaimTemplateOf(named: NamedType) {
  const { ResourceClaimSpec } = requestedDevicesOf(named);
  const ResourceClaimTemplateSpec = object(named("ResourceClaimTemplateSpec"), "The claims of the template.", () => ({
    metadata: always(1, ObjectMeta, "A claim gets these labels and annotations; other metadata is refused."),
    spec: required(2, ResourceClaimSpec, "A claim gets this spec."),
  }));
  return kind(
    named("ResourceClaimTemplate"),
    "A ResourceClaimTemplate describes the claims that are made for pods which name it.",
    () => ({
      metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
      spec: required(2, ResourceClaimTemplateSpec, "The claims of the template; they never change."),
    }),
  );
}

export const ResourceClaimTemplate = resourceClaimTemplateOf(namedInV1);
export type ResourceClaimTemplate = z.infer<typeof ResourceClaimTemplate>;
export const ResourceClaimTemplateV1beta2 = resourceClaimTemplateOf(namedInV1beta2);
