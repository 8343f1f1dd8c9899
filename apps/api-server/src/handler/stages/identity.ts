import { authenticate } from "../../authentication/authenticate.ts";
import { impersonate } from "../../authentication/impersonate.ts";
import { toApiError } from "../../http/status.ts";
import { authorizeRecorded } from "../../request/authorize.ts";
import { isLongRunning } from "../long-running.ts";
import type { RequestStage } from "./stage.ts";

/**
 * Authenticates the caller. A request without a valid identity is also recorded by the audit log.
 */
export const authentication: RequestStage = (deps, staged, next) => {
  const { request, info } = staged;
  try {
    staged.caller = authenticate(request, info.path, deps.tokens);
  } catch (error) {
    return refuseUnidentified(deps, staged, error);
  }
  staged.user = staged.caller;
  request.onCaller?.(staged.caller);
  return next(staged);
};

async function refuseUnidentified(
  { auditor }: Parameters<RequestStage>[0],
  { request, info }: Parameters<RequestStage>[1],
  error: unknown,
): Promise<never> {
  const known = toApiError(error);
  const begun = { request, info, isLongRunning: isLongRunning(info), user: undefined };
  if (known !== undefined) await auditor?.begin(begun)?.unidentified(known);
  throw error;
}

/** Replaces the user by the user that the caller may impersonate. */
export const impersonation: RequestStage = (deps, staged, next) => {
  const { request, caller, audited } = staged;
  staged.user = impersonate(deps.authorizer, caller, request);
  if (staged.user !== caller) audited?.impersonate(staged.user);
  return next(staged);
};

export const authorization: RequestStage = (deps, staged, next) => {
  const { user, info, audited } = staged;
  authorizeRecorded(deps.authorizer, { user, info, trail: audited });
  return next(staged);
};
