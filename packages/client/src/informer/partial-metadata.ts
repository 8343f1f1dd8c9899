import { type ApiObject, apiVersionOf, type ResourceType } from "@kintsugi/api";

/**
 * The media type by which a server answers with metadata only (meta.k8s.io/v1 PartialObjectMetadata
 * and its list).
 */
export const metadataMediaType = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

/** The object with only its identity and metadata, under its own kind. */
export function withMetadataOnly<T extends ApiObject>(type: ResourceType<T>, { metadata }: ApiObject): T {
  const partial: ApiObject = { apiVersion: apiVersionOf(type), kind: type.kind, metadata };
  return partial as T;
}
