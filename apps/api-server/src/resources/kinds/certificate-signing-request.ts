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

/** What may only be said through the subresource `approval`. */
const verdicts = ["Approved", "Denied"];

// A request never changes; three doors lead to its status:
//
//   the object itself   metadata only
//   /approval           the conditions Approved and Denied
//   /status             the certificate, and the condition Failed
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
      const belongs = subresource === "approval" ? isVerdict : isOther;
      const kept = (before.status?.conditions ?? []).filter((condition) => !belongs(condition));
      const said = (sent.conditions ?? []).filter(belongs).map((condition) => stamped(condition, nowMs));
      const certificate = subresource === "status" ? sent.certificate : before.status?.certificate;
      request.status = {
        ...(kept.length + said.length > 0 ? { conditions: [...kept, ...said] } : {}),
        ...(certificate === undefined ? {} : { certificate }),
      };
    },
  },
});

const isVerdict = ({ type }: CertificateSigningRequestCondition): boolean => verdicts.includes(type);
const isOther = ({ type }: CertificateSigningRequestCondition): boolean => !verdicts.includes(type);

function stamped(condition: CertificateSigningRequestCondition, nowMs: number): CertificateSigningRequestCondition {
  const now = formatTimestamp(nowMs);
  return {
    ...condition,
    lastUpdateTime: condition.lastUpdateTime ?? now,
    lastTransitionTime: condition.lastTransitionTime ?? now,
  };
}
