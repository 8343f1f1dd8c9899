import { internalError } from "@kintsugi/api";
import type { AuditedRequest } from "../../audit/audited-request.ts";
import type { ApiRequest, ApiResponse } from "../../http/api-request.ts";
import type { AuditTrail } from "../../http/audit-trail.ts";
import { toApiError } from "../../http/status.ts";
import { isLongRunning } from "../long-running.ts";
import { refusalResponse } from "../refusal-response.ts";
import type { HandlerDeps, Next, RequestStage, StagedRequest } from "./stage.ts";

/** Records the request and its response where the audit policy selects it. */
export const auditing: RequestStage = (deps, staged, next) => {
  const { request, info, caller } = staged;
  const audited = deps.auditor?.begin({ request, info, isLongRunning: isLongRunning(info), user: caller });
  return audited === undefined ? next(staged) : record(deps, { staged, audited }, next);
};

async function record(
  deps: HandlerDeps,
  { staged, audited }: { staged: StagedRequest; audited: AuditedRequest },
  next: Next,
): Promise<ApiResponse> {
  const { request, info } = staged;
  if (!(await audited.received()) && deps.auditor?.isStrict === true) {
    deps.auditor.requestRejected();
    throw internalError("failed to store audit event");
  }
  let response: ApiResponse;
  try {
    response = await next({ ...staged, request: withTrail(request, audited), audited });
  } catch (error) {
    if (toApiError(error) === undefined) {
      await audited.panicked(error);
      throw error;
    }
    response = refusalResponse(deps, error, { request, info });
  }
  return audited.answered(response);
}

/** The prototype keeps the getter of `signal` lazy, so the request is not copied. */
function withTrail(request: ApiRequest, trail: AuditTrail): ApiRequest {
  return Object.create(request, { trail: { value: trail, enumerable: true } }) as ApiRequest;
}
