import type { CertificateSigningRequest } from "./certificate-signing-request.ts";
import type { Faults } from "../../../validation/faults.ts";

/** Upstream's: shorter ones would have to be renewed all the time. */
const expirationSecondsMin = 600;

/** All but the request itself, which the API server takes apart. */
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
