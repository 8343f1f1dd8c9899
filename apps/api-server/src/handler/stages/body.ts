import type { ApiRequest, ApiResponse } from "../../http/api-request.ts";
import type { HandlerDeps, Next, RequestStage, StagedRequest } from "./stage.ts";

/**
 * Reads the body into the memory budget of its caller. The body of a request that is proxied to
 * another server is read by that server, at its own pace.
 */
export const bodyReading: RequestStage = (deps, staged, next) => {
  const { readBody } = staged.request;
  if (readBody === undefined || staged.info.behindProxy !== undefined) return next(staged);
  return onceRead(deps, { staged, readBody }, next);
};

async function onceRead(
  { bodies }: HandlerDeps,
  { staged, readBody }: { staged: StagedRequest; readBody: NonNullable<ApiRequest["readBody"]> },
  next: Next,
): Promise<ApiResponse> {
  const room = bodies.room(staged.caller.name);
  try {
    // The request object belongs to this call. A copy with the request as its prototype would make
    // each access slow.
    staged.request.body = await readBody(room.take);
    return await next(staged);
  } finally {
    room.leave();
  }
}
