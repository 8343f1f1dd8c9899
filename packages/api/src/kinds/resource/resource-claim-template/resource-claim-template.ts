import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, kind, object, required } from "../../../schema/fields.ts";
import { requestedDevicesOf } from "../devices/requested-devices.ts";
import { namedInV1, namedInV1beta2, type NamedType } from "../devices/resource-versions.ts";

function resourceClaimTemplateOf(named: NamedType) {
  const { ResourceClaimSpec } = requestedDevicesOf(named);
  const ResourceClaimTemplateSpec = object(named("ResourceClaimTemplateSpec"), "Template of the claims.", () => ({
    metadata: always(1, ObjectMeta, "Labels and annotations of the claims. Other metadata is rejected."),
    spec: required(2, ResourceClaimSpec, "Spec of the claims."),
  }));
  return kind(
    named("ResourceClaimTemplate"),
    "A ResourceClaimTemplate is the template of the claims that are created for pods that refer to the template.",
    () => ({
      metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
      spec: required(2, ResourceClaimTemplateSpec, "Template of the claims. Immutable."),
    }),
  );
}

export const ResourceClaimTemplate = resourceClaimTemplateOf(namedInV1);
export type ResourceClaimTemplate = z.infer<typeof ResourceClaimTemplate>;
export const ResourceClaimTemplateV1beta2 = resourceClaimTemplateOf(namedInV1beta2);
