import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { text } from "../../../schema/types.ts";

export const IngressClassParametersReference = object(
  "io.k8s.api.networking.v1.IngressClassParametersReference",
  "The reference identifies an object with settings for the controller of a class.",
  () => ({
    apiGroup: field(1, text, "The object belongs to this API group; an empty value means the core group."),
    kind: required(2, text, "The object is of this kind."),
    name: required(3, text, "The object has this name."),
    scope: field(4, text, "The object is one of the Cluster, which is the default, or of a Namespace."),
    namespace: field(5, text, "The object is in this namespace; the scope is then Namespace."),
  }),
);
export type IngressClassParametersReference = z.infer<typeof IngressClassParametersReference>;

export const IngressClassSpec = object(
  "io.k8s.api.networking.v1.IngressClassSpec",
  "The spec names the controller of the class.",
  () => ({
    controller: field(
      1,
      text,
      "The controller of this name, a path behind a domain of at most 250 characters, serves the class; it cannot be changed.",
    ),
    parameters: field(2, IngressClassParametersReference, "The controller reads further settings from this object."),
  }),
);

export const IngressClass = kind(
  "io.k8s.api.networking.v1.IngressClass",
  "An IngressClass names the controller that serves the Ingresses of the class.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, labels and owners."),
    spec: field(2, IngressClassSpec, "The spec names the controller."),
  }),
);
export type IngressClass = z.infer<typeof IngressClass>;

const defaultAnnotation = "ingressclass.kubernetes.io/is-default-class";

/** Reports whether this is the default class of Ingresses. */
export function isDefaultIngressClass({ metadata }: IngressClass): boolean {
  return metadata.annotations?.[defaultAnnotation] === "true";
}
