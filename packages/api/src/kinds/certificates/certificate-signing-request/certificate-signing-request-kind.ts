import { formatTimestamp } from "../../../values/timestamp.ts";
import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import { formatHumanDuration } from "../../../table/human-duration.ts";
import { Faults } from "../../../validation/faults.ts";
import { defineKind } from "../../define-kind.ts";
import type { PrepareUpdate } from "../../kind-strategy.ts";
import { certificateSigningRequests } from "./certificate-signing-request-type.ts";
import { validateCertificateSigningRequest } from "./certificate-signing-request-validation.ts";
import { CertificateSigningRequest, type CertificateSigningRequestCondition } from "./certificate-signing-request.ts";

/** Conditions that only the subresource `approval` may write. */
const verdicts = ["Approved", "Denied"];

// A request never changes; its status is written through three URLs:
//
//   the object itself   metadata only
//   /approval           the conditions Approved and Denied
//   /status             the certificate, and the condition Failed
export const certificateSigningRequestKind = defineKind<CertificateSigningRequest>({
  type: certificateSigningRequests,
  schema: CertificateSigningRequest,
  validation: { validate: validateCertificateSigningRequest },
  strategy: {
    resetFields: {
      "": { "f:status": {} },
      status: { "f:spec": {} },
      approval: { "f:spec": {}, "f:status": { "f:certificate": {} } },
    },
    prepareForCreate: (request) => {
      delete request.status;
    },
    validateNew: ({ spec }, context) => {
      const faults = new Faults();
      const because = context.explainSigningRequest(spec);
      if (because !== undefined) faults.invalid("spec.request", spec.request, because);
      return faults.list;
    },
    prepareForUpdate,
  },
  subresources: ["status", "approval"],
  selectable: { "spec.signerName": ({ spec }) => spec.signerName },
  table: {
    columns: [
      nameColumn,
      ageColumn,
      column("SignerName", "Who is to sign it."),
      column("Requestor", "Who asks."),
      column("RequestedDuration", "For how long it should hold."),
      column("Condition", "Whether it was approved, and signed."),
    ],
    cells: ({ metadata, spec, status }, nowMs) => [
      metadata.name ?? "",
      formatAge({ metadata }, nowMs),
      spec.signerName,
      spec.username ?? "",
      spec.expirationSeconds === undefined ? "<none>" : formatHumanDuration(spec.expirationSeconds * 1000),
      conditionText(status),
    ],
  },
});

function prepareForUpdate(
  request: CertificateSigningRequest,
  before: CertificateSigningRequest,
  { subresource, nowMs }: PrepareUpdate,
): void {
  const sent = request.status ?? {};
  request.spec = before.spec;
  if (subresource === "") {
    if (before.status === undefined) delete request.status;
    else request.status = before.status;
    return;
  }
  const belongs = subresource === "approval" ? isVerdict : isOther;
  const kept = (before.status?.conditions ?? []).filter((condition) => !belongs(condition));
  const written = (sent.conditions ?? []).filter(belongs).map((condition) => stamped(condition, nowMs));
  const certificate = subresource === "status" ? sent.certificate : before.status?.certificate;
  request.status = {
    ...(kept.length + written.length > 0 ? { conditions: [...kept, ...written] } : {}),
    ...(certificate === undefined ? {} : { certificate }),
  };
}

function isVerdict({ type }: CertificateSigningRequestCondition): boolean {
  return verdicts.includes(type);
}

function isOther({ type }: CertificateSigningRequestCondition): boolean {
  return !verdicts.includes(type);
}

function stamped(condition: CertificateSigningRequestCondition, nowMs: number): CertificateSigningRequestCondition {
  const now = formatTimestamp(nowMs);
  return {
    ...condition,
    lastUpdateTime: condition.lastUpdateTime ?? now,
    lastTransitionTime: condition.lastTransitionTime ?? now,
  };
}

/** As upstream's printer joins them: "Approved,Issued". */
function conditionText(status: CertificateSigningRequest["status"]): string {
  const types = (status?.conditions ?? []).map(({ type }) => type);
  const verdict = ["Denied", "Approved"].find((type) => types.includes(type)) ?? "Pending";
  const outcome = [...(types.includes("Failed") ? ["Failed"] : []), ...(status?.certificate ? ["Issued"] : [])];
  return [verdict, ...outcome].join(",");
}
