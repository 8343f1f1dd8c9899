import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required, requiredNullable } from "../../../schema/fields.ts";
import { text } from "../../../schema/types.ts";

function ipAddressOf(version: "v1" | "v1beta1") {
  const named = (name: string) => `io.k8s.api.networking.${version}.${name}`;
  const ParentReference = object(
    named("ParentReference"),
    "The reference identifies the object that uses the address.",
    () => ({
      group: field(1, text, "The object belongs to this API group; an empty value means the core group."),
      resource: required(2, text, 'The object is of this resource, such as "services".'),
      namespace: field(3, text, "The object is in this namespace."),
      name: required(4, text, "The object has this name."),
    }),
  );
  const IPAddressSpec = object(named("IPAddressSpec"), "The spec names the user of the address.", () => ({
    parentRef: requiredNullable(1, ParentReference, "This object uses the address; the field cannot be changed."),
  }));
  return kind(
    named("IPAddress"),
    "An IPAddress is one address, its name in canonical form, that an object uses: the cluster IP of a Service.",
    () => ({
      metadata: always(1, ObjectMeta, "Metadata holds the address as its name, labels and owners."),
      spec: required(2, IPAddressSpec, "The spec names the user of the address."),
    }),
  );
}

export const IPAddress = ipAddressOf("v1");
export type IPAddress = z.infer<typeof IPAddress>;
export type ParentReference = NonNullable<IPAddress["spec"]["parentRef"]>;
export const IPAddressV1beta1 = ipAddressOf("v1beta1");
