import type { Clock } from "@kintsugi/clock";
import type { Entry } from "@kintsugi/store";
import { type ApiResponse, bytesResponse } from "../http/api-request.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import type { KubeObject, Resource } from "../resources/resource.ts";
import { type Conversions, isConverted, oneToServed } from "../resources/conversions.ts";
import { bytesAs, decodeAs } from "../resources/requested-form.ts";
import { objectWriterFor } from "./object-writer.ts";

/** The part of a server's context that an answer needs, because a Table shows ages. */
interface AnswerContext {
  readonly clock: Pick<Clock, "nowMs">;
  readonly conversions: Conversions;
}

/**
 * Answers with an entry: its stored bytes, unless the request accepts only another representation.
 */
export function entryResponse(
  context: AnswerContext,
  call: ResourceCall,
  options: { status: number; entry: Entry },
): ApiResponse | Promise<ApiResponse> {
  const { entry, status } = options;
  // A request creates its signal at first use, and most requests never use their signal.
  if (!isConverted(call.resource)) return servedResponse(context, call, options);
  const { signal } = call.request;
  const served = oneToServed(context.conversions, call.resource, { entry, signal });
  if (served instanceof Promise) return served.then((each) => servedResponse(context, call, { status, entry: each }));
  return servedResponse(context, call, { status, entry: served });
}

function servedResponse(
  context: AnswerContext,
  call: ResourceCall,
  options: { status: number; entry: Entry },
): ApiResponse {
  const { resource, form } = call;
  if (form.as === "object") return bytesResponse(options.status, bytesAs(resource, options.entry));
  return objectResponse(context, call, {
    status: options.status,
    object: decodeAs(resource, options.entry),
    of: resource,
  });
}

function objectResponse(
  context: AnswerContext,
  call: ResourceCall,
  options: { status: number; object: KubeObject; of: Resource },
): ApiResponse {
  const { form } = call;
  const { status, object } = options;
  if (form.as === "object") return bytesResponse(status, Buffer.from(JSON.stringify(object)));
  return bytesResponse(status, objectWriterFor(options.of, form, () => context.clock.nowMs())(object));
}
