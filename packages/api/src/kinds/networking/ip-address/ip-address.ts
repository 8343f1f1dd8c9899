import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required, requiredNullable } from "../../../schema/fields.ts";
import { text } from "../../../schema/types.ts";

function ipAddressOf(version: "v1" | "v1beta1") {
  const named = (name: string) => `io.k8s.api.networking.${version}.${name}`;
  const ParentReference = object(
    named("ParentReference"),
    "ParentReference refers to the object that uses the address.",
    () => ({
      group: field(1, text, "API group of the object. An empty value means the core group."),
      resource: required(2, text, "Resource of the object, such as services."),
      namespace: field(3, text, "Namespace of the object."),
      name: required(4, text, "Name of the object."),
    }),
  );
  const IPAddressSpec = object(named("IPAddressSpec"), "Object that uses the address.", () => ({
    parentRef: requiredNullable(1, ParentReference, "Object that uses the address. Immutable."),
  }));
  return kind(
    named("IPAddress"),
    "An IPAddress is an address that an object uses, such as the cluster IP of a Service. Its name is the address in canonical form.",
    () => ({
      metadata: always(1, ObjectMeta, "Name, labels and owners of the object. The name is the address."),
      spec: required(2, IPAddressSpec, "Object that uses the address."),
    }),
  );
}

export const IPAddress = ipAddressOf("v1");
export type IPAddress = z.infer<typeof IPAddress>;
export type ParentReference = NonNullable<IPAddress["spec"]["parentRef"]>;
export const IPAddressV1beta1 = ipAddressOf("v1beta1");
