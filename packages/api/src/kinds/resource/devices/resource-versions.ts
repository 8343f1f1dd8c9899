import type { ApiObject } from "../../../meta/api-object.ts";
import type { ResourceType } from "../../../meta/resource-type.ts";
import type { KindView } from "../../define-kind.ts";
import { sameInVersion } from "../../same-in-version.ts";

/** Upstream's OpenAPI name of a type in one version of the group. */
export type NamedType = (kind: string) => string;

export const namedInV1: NamedType = (kind) => `io.k8s.api.resource.v1.${kind}`;
export const namedInV1beta2: NamedType = (kind) => `io.k8s.api.resource.v1beta2.${kind}`;

/** Upstream serves v1 since 1.34; v1beta2, since 1.33 and never by default, has the same fields. */
export function inV1beta2<T extends ApiObject>(type: ResourceType<T>): { type: ResourceType<T>; view: KindView<T> } {
  const beta = { ...type, version: "v1beta2" };
  return { type: beta, view: sameInVersion(beta, type) };
}
