import { apiVersionOf, isApiError } from "@kintsugi/api";
import type { Entry } from "@kintsugi/store";
import { type ApiResponse, bytesResponse } from "../http/api-request.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import { readSelection } from "../request/selection.ts";
import { parseStoreKey } from "../resources/keys.ts";
import { bytesAs } from "../resources/requested-form.ts";
import type { ServerContext } from "../server-context.ts";
import { deleteOne, isDeletedAsync } from "./delete.ts";
import { readDeleteRequest } from "./delete-options.ts";
import { readPageConverted } from "./list.ts";

/** Number of deletes that share one disk write. */
const deletesAtOnce = 100;
/**
 * A request has only one slot in which it may wait for other servers, so with asynchronous steps
 * the objects are deleted one after the other.
 */
const asyncDeletesAtOnce = 1;

/**
 * DELETE of all objects that a selection matches, one after the other. Each is deleted or rejected
 * separately.
 */
export async function deleteCollection(context: ServerContext, call: ResourceCall): Promise<ApiResponse> {
  const request = readDeleteRequest(context, call);
  const reading = readPageConverted(context, call, readSelection(call.info, call.resource));
  // Most pages are read synchronously, and the deletes then reach the store without waiting.
  const page = reading instanceof Promise ? await reading : reading;
  const deleted: Entry[] = [];
  const atOnce = isDeletedAsync(context, call) ? asyncDeletesAtOnce : deletesAtOnce;
  for (let start = 0; start < page.entries.length; start += atOnce) {
    const group = page.entries.slice(start, start + atOnce);
    const results = await Promise.all(
      group.map(async (entry) => {
        const { namespace, name } = parseStoreKey(entry.key);
        const one = { ...call, info: { ...call.info, namespace, name } };
        try {
          return (await deleteOne(context, one, request)).entry;
        } catch (error) {
          // Another client deleted the object first.
          if (isApiError(error, "NotFound")) return undefined;
          throw error;
        }
      }),
    );
    deleted.push(...results.filter((entry) => entry !== undefined));
  }
  const { type } = call.resource;
  const metadata = { resourceVersion: String(context.store.revision()) };
  const opening = JSON.stringify({ kind: `${type.kind}List`, apiVersion: apiVersionOf(type), metadata }).slice(0, -1);
  const shown = await context.conversions.toServed(call.resource, deleted, call.request.signal);
  const items = shown.flatMap((entry, i) =>
    (i === 0 ? [] : [comma]).concat(Buffer.from(bytesAs(call.resource, entry))),
  );
  return bytesResponse(200, Buffer.concat([Buffer.from(`${opening},"items":[`), ...items, Buffer.from("]}\n")]));
}

const comma = Buffer.from(",");
