import type { ResourceType, TypeDescription } from "@kintsugi/api";

/** One kind as it is served, with its subresources; discovery and OpenAPI are both made from these. */
export interface ServedResource {
  type: ResourceType;
  description: TypeDescription;
  /** "create", "delete", "deletecollection", "get", "list", "patch", "update", "watch". */
  verbs: readonly string[];
  subresources: readonly ServedSubresource[];
}

export interface ServedSubresource {
  /** "status", "scale", "log". */
  name: string;
  /** What it takes and answers with: autoscaling/v1 Scale for scale; the parent's own kind for status. */
  group: string;
  version: string;
  kind: string;
  /** Absent where the answer is no object (log). */
  description: TypeDescription | undefined;
  verbs: readonly string[];
}
