import { type CertificateSigningRequestSpec, oncePer } from "@kintsugi/api";
import { InvalidSigningRequest, readSignedSubject, type RequestSubject } from "@kintsugi/pki";

/**
 * Returns the subject of a certificate request. It is read, and its signature checked, once for
 * each object, for validation and for every rule of admission after it: by then nothing changes the
 * request.
 * @throws InvalidSigningRequest when it is no request, or not signed by the key that it is for.
 */
export const signedSubjectOf: (spec: CertificateSigningRequestSpec) => RequestSubject = oncePer(({ request }) =>
  readSignedSubject(Buffer.from(request, "base64").toString("utf8")),
);

/** Explains why a request for a certificate is none; undefined when it is one. */
export function explainSigningRequest(spec: CertificateSigningRequestSpec): string | undefined {
  try {
    signedSubjectOf(spec);
    return undefined;
  } catch (error) {
    if (!(error instanceof InvalidSigningRequest)) throw error;
    return error.message;
  }
}
