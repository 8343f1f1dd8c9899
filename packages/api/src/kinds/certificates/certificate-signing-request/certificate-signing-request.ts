import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, bytes, int32, keyedListReplaced, list, map, text, time } from "../../../schema/types.ts";

export const CertificateSigningRequestSpec = object(
  "io.k8s.api.certificates.v1.CertificateSigningRequestSpec",
  "The spec holds the certificate request; it cannot be changed after creation.",
  () => ({
    request: required(1, bytes, "The certificate request is encoded as PEM and follows PKCS #10."),
    signerName: required(
      7,
      text,
      "The named signer is to sign the request, such as kubernetes.io/kube-apiserver-client.",
    ),
    expirationSeconds: field(
      8,
      int32,
      "The client requests a certificate that is valid for this many seconds, at least 600; the signer may issue another duration.",
    ),
    usages: field(
      5,
      atomicList(text),
      "The client requests a certificate for these key usages, such as client auth or digital signature.",
    ),
    username: field(2, text, "The server records here the name of the user that created the request."),
    uid: field(3, text, "The server records here the UID of the user that created the request."),
    groups: field(4, atomicList(text), "The server records here the groups of the user that created the request."),
    extra: field(
      6,
      map(list(text)),
      "The server records here further attributes of the user that created the request.",
    ),
  }),
);
export type CertificateSigningRequestSpec = z.infer<typeof CertificateSigningRequestSpec>;

export const CertificateSigningRequestCondition = object(
  "io.k8s.api.certificates.v1.CertificateSigningRequestCondition",
  "A condition records that a request was approved or denied, or that signing failed.",
  () => ({
    type: required(1, text, "The type is Approved, Denied or Failed, or a name of the signer's own."),
    status: required(6, text, "The status is True, False or Unknown; Approved, Denied and Failed may only be True."),
    reason: field(2, text, "One CamelCase word gives the reason for the last change of the condition."),
    message: field(3, text, "A text for people gives the details of the last change of the condition."),
    lastUpdateTime: field(4, time, "The condition was last written at this time."),
    lastTransitionTime: field(5, time, "The status of the condition last changed at this time."),
  }),
);
export type CertificateSigningRequestCondition = z.infer<typeof CertificateSigningRequestCondition>;

export const CertificateSigningRequestStatus = object(
  "io.k8s.api.certificates.v1.CertificateSigningRequestStatus",
  "The status holds the decision on the request and the issued certificate.",
  () => ({
    conditions: field(
      1,
      keyedListReplaced(CertificateSigningRequestCondition, ["type"]),
      "Conditions record the decision: Approved or Denied by an approver, Failed by the signer.",
    ),
    certificate: field(2, bytes, "The signer stores the issued certificate chain here, encoded as PEM."),
  }),
);
export type CertificateSigningRequestStatus = z.infer<typeof CertificateSigningRequestStatus>;

export const CertificateSigningRequest = kind(
  "io.k8s.api.certificates.v1.CertificateSigningRequest",
  "A CertificateSigningRequest obtains an X.509 certificate: a client submits a request, an approver decides, and a signer issues the certificate.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: required(
      2,
      CertificateSigningRequestSpec,
      "The spec holds the certificate request and cannot be changed after creation.",
    ),
    status: field(
      3,
      CertificateSigningRequestStatus,
      "The status holds the decision on the request and the issued certificate.",
    ),
  }),
);
export type CertificateSigningRequest = z.infer<typeof CertificateSigningRequest>;
