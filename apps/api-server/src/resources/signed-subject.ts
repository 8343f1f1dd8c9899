import { type CertificateSigningRequestSpec, oncePer } from "@kintsugi/api";
import { InvalidSigningRequest, readSignedSubject, type RequestSubject } from "@kintsugi/pki";

/**
 * Returns the subject of a certificate request. Each object is parsed, and its signature verified,
 * once for validation and all later admission rules, because the request no longer changes at that
 * point.
 * @throws InvalidSigningRequest when it is not a request, or is not signed by its own key.
 */
export const signedSubjectOf: (spec: CertificateSigningRequestSpec) => RequestSubject = oncePer(({ request }) =>
  readSignedSubject(Buffer.from(request, "base64").toString("utf8")),
);

/** Returns the reason why a certificate request is invalid; undefined when it is valid. */
export function explainSigningRequest(spec: CertificateSigningRequestSpec): string | undefined {
  try {
    signedSubjectOf(spec);
    return undefined;
  } catch (error) {
    if (!(error instanceof InvalidSigningRequest)) throw error;
    return error.message;
  }
}
