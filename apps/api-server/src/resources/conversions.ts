import type { ApiObject } from "@kintsugi/api";
import type { Entry } from "@kintsugi/store";
import type { KubeObject, Resource } from "./resource.ts";

/** Converts objects between versions of kinds whose definition names a webhook. */
export interface Conversions {
  /**
   * Returns the entries with each object in the version of `resource`. Where no conversion is
   * needed, as for all other kinds, it returns the same entries synchronously.
   * @throws ApiError InternalError when the webhook fails.
   */
  toServed(
    resource: Resource,
    entries: readonly Entry[],
    signal: AbortSignal,
  ): readonly Entry[] | Promise<readonly Entry[]>;
  /** Returns the object in the stored version. @throws ApiError InternalError */
  toStored(resource: Resource, object: KubeObject, signal: AbortSignal): Promise<ApiObject>;
  /** Returns the object in any version of its definition. @throws ApiError InternalError */
  toVersion(
    resource: Resource,
    desired: { object: KubeObject; apiVersion: string },
    signal: AbortSignal,
  ): Promise<KubeObject>;
}

/** Reports whether writes of a resource may wait for a conversion. */
export function isConverted({ kind }: Pick<Resource, "kind">): boolean {
  return kind.storedForm?.conversion !== undefined;
}

/** Converts one entry; `undefined` is returned unchanged. */
export function oneToServed(
  conversions: Conversions,
  resource: Resource,
  { entry, signal }: { entry: Entry; signal: AbortSignal },
): Entry | Promise<Entry> {
  const converted = conversions.toServed(resource, [entry], signal);
  return converted instanceof Promise ? converted.then(([first]) => first ?? entry) : (converted[0] ?? entry);
}
