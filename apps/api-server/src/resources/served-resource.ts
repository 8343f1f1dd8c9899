import { describeSchema, type Kind, type ResourceType, type TypeDescription } from "@kintsugi/api";
import { bodyTypesOf, patchTypesOf } from "../http/body.ts";
import type { Encodings } from "../http/negotiate.ts";
import type { SubresourceDescription } from "./subresource.ts";

/**
 * One kind as it is served, with its subresources. Discovery and OpenAPI are made from these kinds.
 */
export interface ServedResource {
  type: ResourceType;
  description: TypeDescription;
  /** "create", "delete", "deletecollection", "get", "list", "patch", "update", "watch". */
  verbs: readonly string[];
  subresources: readonly ServedSubresource[];
  /** True for a kind that an object of the cluster defines. */
  isCustom: boolean;
  /** Media types of bodies. */
  bodyTypes: readonly string[];
  /** Media types of patches. */
  patchTypes: readonly string[];
}

export interface ServedSubresource {
  /** "status", "scale", "log". */
  name: string;
  /**
   * The kind of its bodies and answers: autoscaling/v1 Scale for scale; the parent's own kind for
   * status.
   */
  group: string;
  version: string;
  kind: string;
  /** Absent where the answer is not an object (log). */
  description: TypeDescription | undefined;
  verbs: readonly string[];
}

export function servedResource(
  kind: Kind,
  subresources: Iterable<SubresourceDescription>,
  encodings: Pick<Encodings, "cbor">,
): ServedResource {
  const { type, description, verbs } = kind;
  return {
    type,
    description,
    verbs,
    subresources: Array.from(subresources, (each) => servedSubresource(kind, each)),
    isCustom: kind.storedForm !== undefined,
    bodyTypes: bodyTypesOf(kind, encodings),
    patchTypes: patchTypesOf(kind, encodings),
  };
}

function servedSubresource(
  { type, description }: Kind,
  { name, verbs, body }: SubresourceDescription,
): ServedSubresource {
  const { group, version, kind } = type;
  if (body === undefined) return { name, group, version, kind, description, verbs };
  if ("stream" in body) {
    const { optionsKind = kind } = body;
    const ofOptions = typeof optionsKind === "string" ? optionsKind : optionsKind(kind);
    return { name, group, version, kind: ofOptions, description: undefined, verbs };
  }
  const of = body.type;
  const own = { group: of.group, version: of.version, kind: of.kind };
  return { name, ...own, description: describeSchema(body.schema), verbs };
}
