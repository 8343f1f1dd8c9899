import type { ResourceCall } from "../request/resource-call.ts";
import type { AdmissionRequest } from "./admission.ts";

/** Returns the part of a request for admission that describes its caller. */
export function requestedBy(call: ResourceCall): Pick<AdmissionRequest, "user" | "requested" | "warnings" | "trail"> {
  return {
    user: call.user,
    requested: call.resource.type,
    warnings: call.warnings,
    trail: call.request.trail,
  };
}
