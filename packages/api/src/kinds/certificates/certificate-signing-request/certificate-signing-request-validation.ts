import { sameJson } from "../../../values/json.ts";
import type { Faults } from "../../../validation/faults.ts";
import { validateObjectMetaUpdate } from "../../../validation/object-meta.ts";
import type { CertificateSigningRequest, CertificateSigningRequestCondition } from "./certificate-signing-request.ts";

/**
 * Upstream's minimum: certificates with a shorter lifetime would have to be renewed all the time.
 */
const expirationSecondsMin = 600;

/** All fields except the request itself, which the API server parses. */
export function validateCertificateSigningRequest({ spec }: CertificateSigningRequest, faults: Faults): void {
  if (spec.signerName === "") faults.required("spec.signerName");
  else if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[-A-Za-z0-9._]+$/.test(spec.signerName))
    faults.invalid(
      "spec.signerName",
      spec.signerName,
      "must be a fully qualified domain and path of the form domain/name",
    );
  if ((spec.usages ?? []).length === 0) faults.required("spec.usages");
  if (spec.expirationSeconds !== undefined && spec.expirationSeconds < expirationSecondsMin)
    faults.invalid(
      "spec.expirationSeconds",
      spec.expirationSeconds,
      "may not specify a duration less than 600 seconds (10 minutes)",
    );
}

/** These types record a decision, so updates never remove them. */
const lastingTypes = ["Approved", "Denied", "Failed"] as const;
/** Only `/approval` can set these conditions, and `/approval` requires a separate permission. */
const verdictTypes = ["Approved", "Denied"] as const;
const conditionStatuses = ["False", "True", "Unknown"];
const conditionsPath = "status.conditions";

export function validateCertificateApproval(
  after: CertificateSigningRequest,
  before: CertificateSigningRequest,
  faults: Faults,
): void {
  validateConditions(after, before, faults);
  if (after.status?.certificate !== before.status?.certificate)
    faults.forbidden("status.certificate", "updates may not set certificate content");
  validateObjectMetaUpdate(after.metadata, before.metadata, faults);
}

export function validateCertificateStatus(
  after: CertificateSigningRequest,
  before: CertificateSigningRequest,
  faults: Faults,
): void {
  validateConditions(after, before, faults);
  for (const type of verdictTypes) {
    const [next, previous] = [conditionsOf(after, type), conditionsOf(before, type)];
    if (next.length > previous.length)
      faults.forbidden(conditionsPath, `updates may not add a condition of type ${JSON.stringify(type)}`);
    else if (next.length === previous.length && !sameJson(next, previous))
      faults.forbidden(conditionsPath, `updates may not modify a condition of type ${JSON.stringify(type)}`);
  }
  const [certificate, previous = ""] = [after.status?.certificate ?? "", before.status?.certificate];
  if (certificate !== previous && previous !== "")
    faults.forbidden("status.certificate", "updates may not modify existing certificate content");
  validateObjectMetaUpdate(after.metadata, before.metadata, faults);
}

/**
 * Follows validateConditions of pkg/apis/certificates/validation; an object that violated a rule
 * before may continue to violate it.
 */
function validateConditions(after: CertificateSigningRequest, before: CertificateSigningRequest, faults: Faults): void {
  const [types, typesBefore] = [typesOf(after), typesOf(before)];
  const brokeBefore = {
    missing: typesBefore.includes(""),
    repeated: new Set(typesBefore).size < typesBefore.length,
    contradicting: verdictTypes.every((type) => typesBefore.includes(type)),
  };
  for (const [index, { type, status }] of (after.status?.conditions ?? []).entries()) {
    const path = `${conditionsPath}[${index}]`;
    const earlier = types.slice(0, index);
    if (type === "" && !brokeBefore.missing) faults.required(`${path}.type`);
    faults.oneOf(`${path}.status`, status, isOneOf(lastingTypes, type) ? ["True"] : conditionStatuses);
    const contradicts = isOneOf(verdictTypes, type) && verdictTypes.some((it) => it !== type && earlier.includes(it));
    if (contradicts && !brokeBefore.contradicting)
      faults.invalid(`${path}.type`, type, "Approved and Denied conditions are mutually exclusive");
    if (earlier.includes(type) && !brokeBefore.repeated) faults.duplicate(`${path}.type`, type);
  }
  for (const type of lastingTypes) {
    if (conditionsOf(after, type).length < conditionsOf(before, type).length)
      faults.forbidden(conditionsPath, `updates may not remove a condition of type ${JSON.stringify(type)}`);
  }
}

function conditionsOf(
  { status }: CertificateSigningRequest,
  type: string,
): readonly CertificateSigningRequestCondition[] {
  return (status?.conditions ?? []).filter((condition) => condition.type === type);
}

function typesOf({ status }: CertificateSigningRequest): string[] {
  return (status?.conditions ?? []).map(({ type }) => type);
}

function isOneOf(words: readonly string[], word: string): boolean {
  return words.includes(word);
}
