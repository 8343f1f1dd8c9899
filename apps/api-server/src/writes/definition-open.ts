import { ApiError, customResourceDefinitions } from "@kintsugi/api";
import type { StoreReader } from "@kintsugi/store";
import { pathNotFound } from "../http/refusals.ts";
import { storeKey } from "../resources/keys.ts";
import type { Resource } from "../resources/resource.ts";

/**
 * Rejects a new object of a kind whose definition is being deleted, or has been replaced. The
 * definition is looked up inside the write's own batch, so no object outlives its definition.
 * @throws ApiError
 */
export function assertDefinitionOpen(reader: Pick<StoreReader, "find">, { kind }: Pick<Resource, "kind">): void {
  const { definition } = kind.storedForm ?? {};
  if (definition === undefined) return;
  const entry = reader.find(storeKey(customResourceDefinitions, "", definition.name));
  if (entry === undefined || entry.index.uid !== definition.uid) throw pathNotFound();
  if (entry.index.deleting !== true) return;
  const { group, resource } = kind.type;
  const message = "create not allowed while custom resource definition is terminating";
  throw new ApiError("MethodNotAllowed", message, { details: { group, kind: resource } });
}
