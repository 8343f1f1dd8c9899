import type { ApiRequest, ApiResponse } from "../../http/api-request.ts";
import type { HandlerDeps, Next, RequestStage, StagedRequest } from "./stage.ts";

/**
 * Reads the body into the memory that its caller shares. The body of a request that is proxied to
 * another server is read by that server, as fast as it likes.
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
    // The request is this call's own. A copy over it as a prototype would make each of them slow.
    staged.request.body = await readBody(room.take);
    return await next(staged);
  } finally {
    room.leave();
  }
}
