import { formatTimestamp } from "../../../values/timestamp.ts";
import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import { formatHumanDuration } from "../../../table/human-duration.ts";
import { Faults } from "../../../validation/faults.ts";
import { defineKind } from "../../define-kind.ts";
import type { PrepareUpdate } from "../../kind-strategy.ts";
import { certificateSigningRequests } from "./certificate-signing-request-type.ts";
import {
  validateCertificateApproval,
  validateCertificateSigningRequest,
  validateCertificateStatus,
} from "./certificate-signing-request-validation.ts";
import { CertificateSigningRequest, type CertificateSigningRequestCondition } from "./certificate-signing-request.ts";

// A request never changes; its status is written through three URLs:
//
//   the object itself   metadata only
//   /approval           the conditions, of any type
//   /status             the certificate and the conditions; Approved and Denied stay as they are
//
// Validation rejects conditions that a URL may not add or remove; a change is never dropped
// silently.
export const certificateSigningRequestKind = defineKind<CertificateSigningRequest>({
  type: certificateSigningRequests,
  schema: CertificateSigningRequest,
  validation: {
    validate: validateCertificateSigningRequest,
    subresources: { approval: validateCertificateApproval, status: validateCertificateStatus },
  },
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
      column("SignerName", "Name of the signer."),
      column("Requestor", "User who created the request."),
      column("RequestedDuration", "Requested lifetime of the certificate."),
      column("Condition", "Pending, Approved, Denied or Failed, followed by Issued once a certificate exists."),
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
  const previous = before.status?.conditions ?? [];
  const conditions =
    subresource === "status"
      ? verdictTypes.reduce((list, type) => withPrevious(list, previous, type), sent.conditions ?? [])
      : (sent.conditions ?? []);
  const certificate = subresource === "status" ? sent.certificate : before.status?.certificate;
  request.status = {
    ...(conditions.length > 0 ? { conditions: conditions.map((each) => stamped(each, previous, nowMs)) } : {}),
    ...(certificate === undefined ? {} : { certificate }),
  };
}

type Condition = CertificateSigningRequestCondition;

/** Conditions that a client sends back when it writes /status, and may not change. */
const verdictTypes = ["Approved", "Denied"];

/**
 * Restores the previous conditions of a type. If their number differs, the list is left unchanged,
 * and validation rejects it.
 */
function withPrevious(sent: readonly Condition[], previous: readonly Condition[], type: string): Condition[] {
  const kept = previous.filter((condition) => condition.type === type);
  if (sent.filter((condition) => condition.type === type).length !== kept.length) return [...sent];
  return sent.map((condition) => (condition.type === type ? (kept.shift() ?? condition) : condition));
}

/** Sets missing times; a condition whose status did not change keeps its transition time. */
function stamped(condition: Condition, previous: readonly Condition[], nowMs: number): Condition {
  const now = formatTimestamp(nowMs);
  const same = previous.find(({ type, status }) => type === condition.type && status === condition.status);
  return {
    ...condition,
    lastUpdateTime: condition.lastUpdateTime ?? now,
    lastTransitionTime: condition.lastTransitionTime ?? same?.lastTransitionTime ?? now,
  };
}

/** Joins the conditions like upstream's printer: "Approved,Issued". */
function conditionText(status: CertificateSigningRequest["status"]): string {
  const types = (status?.conditions ?? []).map(({ type }) => type);
  const verdict = ["Denied", "Approved"].find((type) => types.includes(type)) ?? "Pending";
  const outcome = [...(types.includes("Failed") ? ["Failed"] : []), ...(status?.certificate ? ["Issued"] : [])];
  return [verdict, ...outcome].join(",");
}
