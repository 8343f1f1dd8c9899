import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, bytes, int32, keyedListReplaced, list, map, text, time } from "../../../schema/types.ts";

export const CertificateSigningRequestSpec = object(
  "io.k8s.api.certificates.v1.CertificateSigningRequestSpec",
  "What certificate is wanted, and by whom.",
  () => ({
    request: required(1, bytes, "The request, PEM of PKCS #10."),
    signerName: required(7, text, "Who is to sign it."),
    expirationSeconds: field(8, int32, "For how long it should hold; the signer may choose less."),
    usages: field(5, atomicList(text), "What the key may be used for."),
    username: field(2, text, "Who asks; set by the server."),
    uid: field(3, text, "The identity of who asks; set by the server."),
    groups: field(4, atomicList(text), "The groups of who asks; set by the server."),
    extra: field(6, map(list(text)), "What else is known of who asks; set by the server."),
  }),
);
export type CertificateSigningRequestSpec = z.infer<typeof CertificateSigningRequestSpec>;

export const CertificateSigningRequestCondition = object(
  "io.k8s.api.certificates.v1.CertificateSigningRequestCondition",
  "That a request was approved or denied, or that signing failed.",
  () => ({
    type: required(1, text, "Approved, Denied or Failed."),
    status: required(6, text, "True, for Approved and Denied."),
    reason: field(2, text, "Why, in one word."),
    message: field(3, text, "Why, in a sentence."),
    lastUpdateTime: field(4, time, "When it was last written."),
    lastTransitionTime: field(5, time, "Since when it is so."),
  }),
);
export type CertificateSigningRequestCondition = z.infer<typeof CertificateSigningRequestCondition>;

export const CertificateSigningRequestStatus = object(
  "io.k8s.api.certificates.v1.CertificateSigningRequestStatus",
  "What came of the request.",
  () => ({
    conditions: field(1, keyedListReplaced(CertificateSigningRequestCondition, ["type"]), "Approved, Denied, Failed."),
    certificate: field(2, bytes, "The certificate, PEM."),
  }),
);
export type CertificateSigningRequestStatus = z.infer<typeof CertificateSigningRequestStatus>;

export const CertificateSigningRequest = kind(
  "io.k8s.api.certificates.v1.CertificateSigningRequest",
  "Asks for a certificate, which is approved and signed after a while: kubelets get theirs this way.",
  () => ({
    metadata: always(1, ObjectMeta),
    spec: required(2, CertificateSigningRequestSpec, "What certificate is wanted, and by whom."),
    status: field(3, CertificateSigningRequestStatus, "What came of it."),
  }),
);
export type CertificateSigningRequest = z.infer<typeof CertificateSigningRequest>;
