import {
  CertificateSigningRequest,
  type CertificateSigningRequestCondition,
  certificateSigningRequests,
  formatTimestamp,
} from "@kintsugi/api";
import { InvalidSigningRequest } from "@kintsugi/pki";
import { fieldInvalid } from "../../http/refusals.ts";
import { signedSubjectOf } from "../signed-subject.ts";
import { defineResource } from "../resource.ts";

// A request never changes; three doors lead to its status:
//
//   the object itself   metadata only
//   /approval           the conditions, of any type
//   /status             the certificate and the conditions; Approved and Denied stay as they are
//
// Validation refuses the conditions that a door may not add or take away; nothing is dropped in silence.
export const certificateSigningRequestResource = defineResource<CertificateSigningRequest>({
  type: certificateSigningRequests,
  schema: CertificateSigningRequest,
  subresources: ["status", "approval"],
  rules: {
    resetFields: {
      "": { "f:status": {} },
      status: { "f:spec": {} },
      approval: { "f:spec": {}, "f:status": { "f:certificate": {} } },
    },
    selectableFields: { "spec.signerName": ({ spec }) => spec.signerName },
    prepareForCreate: (request) => {
      delete request.status;
    },
    validateNew: ({ spec }) => {
      try {
        signedSubjectOf(spec);
        return [];
      } catch (error) {
        if (!(error instanceof InvalidSigningRequest)) throw error;
        return [fieldInvalid("spec.request", spec.request, error.message)];
      }
    },
    prepareForUpdate: (request, before, { subresource, nowMs }) => {
      const sent = request.status ?? {};
      request.spec = before.spec;
      if (subresource === "") {
        if (before.status === undefined) delete request.status;
        else request.status = before.status;
        return;
      }
      const previous = before.status?.conditions ?? [];
      let conditions = sent.conditions ?? [];
      if (subresource === "status")
        conditions = verdictTypes.reduce((list, type) => withPrevious(list, previous, type), conditions);
      const certificate = subresource === "status" ? sent.certificate : before.status?.certificate;
      request.status = {
        ...(conditions.length > 0 ? { conditions: conditions.map((each) => stamped(each, previous, nowMs)) } : {}),
        ...(certificate === undefined ? {} : { certificate }),
      };
    },
  },
});

type Condition = CertificateSigningRequestCondition;

/** Conditions that a writer of /status sends back, and may not change. */
const verdictTypes = ["Approved", "Denied"];

/** Puts the previous conditions of a type in place of those sent; where their number differs, the list stays and is refused. */
function withPrevious(sent: readonly Condition[], previous: readonly Condition[], type: string): Condition[] {
  const kept = previous.filter((condition) => condition.type === type);
  if (sent.filter((condition) => condition.type === type).length !== kept.length) return [...sent];
  return sent.map((condition) => (condition.type === type ? (kept.shift() ?? condition) : condition));
}

/** Fills in the times that are missing; a condition whose status did not change has been so since it was. */
function stamped(condition: Condition, previous: readonly Condition[], nowMs: number): Condition {
  const now = formatTimestamp(nowMs);
  const same = previous.find(({ type, status }) => type === condition.type && status === condition.status);
  return {
    ...condition,
    lastUpdateTime: condition.lastUpdateTime ?? now,
    lastTransitionTime: condition.lastTransitionTime ?? same?.lastTransitionTime ?? now,
  };
}
