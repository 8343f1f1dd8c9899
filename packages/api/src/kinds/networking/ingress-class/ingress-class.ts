import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { text } from "../../../schema/types.ts";

export const IngressClassParametersReference = object(
  "io.k8s.api.networking.v1.IngressClassParametersReference",
  "IngressClassParametersReference refers to an object with settings for the class's controller.",
  () => ({
    apiGroup: field(1, text, "API group of the object. An empty value means the core group."),
    kind: required(2, text, "Kind of the object."),
    name: required(3, text, "Name of the object."),
    scope: field(4, text, "Scope of the object: Cluster or Namespace. Defaults to Cluster."),
    namespace: field(5, text, "Namespace of the object. Required for the scope Namespace."),
  }),
);
export type IngressClassParametersReference = z.infer<typeof IngressClassParametersReference>;

export const IngressClassSpec = object(
  "io.k8s.api.networking.v1.IngressClassSpec",
  "Controller of a class and its parameters.",
  () => ({
    controller: field(
      1,
      text,
      "Name of the controller, a path that begins with a domain, at most 250 characters long. Immutable.",
    ),
    parameters: field(2, IngressClassParametersReference, "Object with additional settings for the controller."),
  }),
);

export const IngressClass = kind(
  "io.k8s.api.networking.v1.IngressClass",
  "An IngressClass names the controller that serves the Ingresses of the class.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
    spec: field(2, IngressClassSpec, "Controller of the class and its parameters."),
  }),
);
export type IngressClass = z.infer<typeof IngressClass>;

const defaultAnnotation = "ingressclass.kubernetes.io/is-default-class";

/** Reports whether this is the default class of Ingresses. */
export function isDefaultIngressClass({ metadata }: IngressClass): boolean {
  return metadata.annotations?.[defaultAnnotation] === "true";
}
