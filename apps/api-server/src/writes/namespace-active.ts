import { ApiError, forbidden, namespaces, notFound, type ResourceType } from "@kintsugi/api";
import type { StoreReader } from "@kintsugi/store";
import { storeKey } from "../resources/keys.ts";

/**
 * Checked inside the write's own transaction, so that no object is created in a namespace that is
 * being emptied. @throws ApiError
 */
export function assertNamespaceActive(
  reader: Pick<StoreReader, "find">,
  namespace: string,
  object: { type: ResourceType; name: string },
): void {
  const entry = reader.find(storeKey(namespaces, "", namespace));
  if (entry === undefined) throw notFound(namespaces, namespace);
  if (entry.index.deleting !== true) return;
  const refusal = forbidden(
    object.type,
    object.name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  const causes = [
    {
      reason: "NamespaceTerminating",
      message: `namespace ${namespace} is being terminated`,
      field: "metadata.namespace",
    },
  ];
  throw new ApiError("Forbidden", refusal.message, { details: { ...refusal.details, causes } });
}
