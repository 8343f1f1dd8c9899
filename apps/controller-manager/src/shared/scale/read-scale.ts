import { type ApiError, isApiError, type ObjectKey, objectPath, type ResourceType, type Scale } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";

/** The size of an object, or the error of the API server. */
export type ScaleAnswer = { scale: Scale } | { error: ApiError; hasSubresource: boolean };

/** Reads the subresource `scale` of an object. @throws when the API server does not respond. */
export async function readScale(
  client: Pick<Client, "call">,
  target: { type: ResourceType; key: ObjectKey },
  signal: AbortSignal,
): Promise<ScaleAnswer> {
  try {
    const path = scalePath(target.type, target.key);
    return { scale: (await client.call({ method: "GET", path, signal })) as Scale };
  } catch (error) {
    if (!isApiError(error)) throw error;
    // An error for a path, in contrast to an error for an object, does not name an object.
    return { error, hasSubresource: error.reason !== "NotFound" || (error.details?.name ?? "") !== "" };
  }
}

export function scalePath(type: ResourceType, key: ObjectKey): string {
  return objectPath(type, key, "scale");
}
