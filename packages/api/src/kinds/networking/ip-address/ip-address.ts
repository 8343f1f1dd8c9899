import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required, requiredNullable } from "../../../schema/fields.ts";
import { text } from "../../../schema/types.ts";

export const ParentReference = object(
  "io.k8s.api.networking.v1.ParentReference",
  "The reference identifies the object that uses the address.",
  () => ({
    group: field(1, text, "The object belongs to this API group; an empty value means the core group."),
    resource: required(2, text, 'The object is of this resource, such as "services".'),
    namespace: field(3, text, "The object is in this namespace."),
    name: required(4, text, "The object has this name."),
  }),
);
export type ParentReference = z.infer<typeof ParentReference>;

export const IPAddressSpec = object(
  "io.k8s.api.networking.v1.IPAddressSpec",
  "The spec names the user of the address.",
  () => ({
    parentRef: requiredNullable(1, ParentReference, "This object uses the address; the field cannot be changed."),
  }),
);

export const IPAddress = kind(
  "io.k8s.api.networking.v1.IPAddress",
  "An IPAddress is one address, its name in canonical form, that an object uses: the cluster IP of a Service.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the address as its name, labels and owners."),
    spec: required(2, IPAddressSpec, "The spec names the user of the address."),
  }),
);
export type IPAddress = z.infer<typeof IPAddress>;
