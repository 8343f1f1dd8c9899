import { type ApiObject, apiVersionOf, isApiError, type ResourceType } from "@kintsugi/api";
import type { ListOptions, ObjectList } from "../client.ts";
import type { Exchange } from "./exchange.ts";
import { metadataMediaType, withMetadataOnly } from "../informer/partial-metadata.ts";
import { requestPath } from "./request-path.ts";

/** The page size of kubectl. */
const pageLimitDefault = 500;
/**
 * Number of restarts of a list whose pages expire while it is read. After the last restart, the
 * list is requested in one page.
 */
const restartsMax = 2;

interface ListBody<T> {
  metadata?: { resourceVersion?: string; continue?: string };
  items?: T[] | null;
}

/** Reads all pages of a list, which together show one revision. */
export async function listPages<T extends ApiObject>(
  exchange: Exchange,
  type: ResourceType<T>,
  options: ListOptions,
): Promise<ObjectList<T>> {
  for (let restarts = 0; ; restarts++) {
    try {
      return await listOnce(exchange, type, restarts < restartsMax ? options : { ...options, pageLimit: 0 });
    } catch (error) {
      if (!isApiError(error, "Expired", "Gone") || options.resourceVersion !== undefined || restarts >= restartsMax) {
        throw error;
      }
    }
  }
}

async function listOnce<T extends ApiObject>(
  exchange: Exchange,
  type: ResourceType<T>,
  options: ListOptions,
): Promise<ObjectList<T>> {
  const items: T[] = [];
  let token: string | undefined;
  for (;;) {
    const query = {
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
      limit: options.pageLimit === 0 ? undefined : (options.pageLimit ?? pageLimitDefault),
      continue: token,
      // A continue token contains its revision.
      resourceVersion: token === undefined ? options.resourceVersion : undefined,
    };
    const page = (await exchange.call({
      method: "GET",
      path: requestPath({ type, namespace: options.namespace }, query),
      accept: options.metadataOnly === true ? metadataMediaType : undefined,
      signal: options.signal,
    })) as ListBody<T>;
    for (const item of page.items ?? []) {
      items.push(options.metadataOnly === true ? withMetadataOnly(type, item) : typed(type, item));
    }
    token = page.metadata?.continue === "" ? undefined : page.metadata?.continue;
    if (token === undefined) return { items, resourceVersion: page.metadata?.resourceVersion ?? "" };
  }
}

/**
 * Items of a list have neither kind nor version. With kind and version added, an object is the same
 * in a list and by itself.
 */
function typed<T extends ApiObject>(type: ResourceType<T>, item: T): T {
  if (item.kind !== undefined) return item;
  return { apiVersion: apiVersionOf(type), kind: type.kind, ...item };
}
