import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, bytes, int32, keyedListReplaced, list, map, text, time } from "../../../schema/types.ts";

export const CertificateSigningRequestSpec = object(
  "io.k8s.api.certificates.v1.CertificateSigningRequestSpec",
  "Certificate request. Immutable after creation.",
  () => ({
    request: required(1, bytes, "PKCS #10 certificate request in PEM."),
    signerName: required(7, text, "Name of the signer, such as kubernetes.io/kube-apiserver-client."),
    expirationSeconds: field(
      8,
      int32,
      "Requested lifetime of the certificate in seconds, at least 600. The signer may issue a certificate with a different lifetime.",
    ),
    usages: field(5, atomicList(text), "Requested key usages, such as client auth or digital signature."),
    username: field(2, text, "Name of the user who created the request, set by the server."),
    uid: field(3, text, "UID of the user who created the request, set by the server."),
    groups: field(4, atomicList(text), "Groups of the user who created the request, set by the server."),
    extra: field(6, map(list(text)), "Additional attributes of the user who created the request, set by the server."),
  }),
);
export type CertificateSigningRequestSpec = z.infer<typeof CertificateSigningRequestSpec>;

export const CertificateSigningRequestCondition = object(
  "io.k8s.api.certificates.v1.CertificateSigningRequestCondition",
  "CertificateSigningRequestCondition records an approval, a denial or a signing failure.",
  () => ({
    type: required(1, text, "Type of the condition: Approved, Denied, Failed or a name that the signer defines."),
    status: required(
      6,
      text,
      "Status of the condition: True, False or Unknown. Approved, Denied and Failed must be True.",
    ),
    reason: field(2, text, "Reason for the condition's last transition, one CamelCase word."),
    message: field(3, text, "Human-readable details of the condition's last transition."),
    lastUpdateTime: field(4, time, "Time of the last update of the condition."),
    lastTransitionTime: field(5, time, "Time at which the condition's status last changed."),
  }),
);
export type CertificateSigningRequestCondition = z.infer<typeof CertificateSigningRequestCondition>;

export const CertificateSigningRequestStatus = object(
  "io.k8s.api.certificates.v1.CertificateSigningRequestStatus",
  "Decision on the request and the issued certificate.",
  () => ({
    conditions: field(
      1,
      keyedListReplaced(CertificateSigningRequestCondition, ["type"]),
      "Conditions that record the result: an approver sets Approved or Denied, and the signer sets Failed.",
    ),
    certificate: field(2, bytes, "Issued certificate chain in PEM, set by the signer."),
  }),
);
export type CertificateSigningRequestStatus = z.infer<typeof CertificateSigningRequestStatus>;

export const CertificateSigningRequest = kind(
  "io.k8s.api.certificates.v1.CertificateSigningRequest",
  "A CertificateSigningRequest obtains an X.509 certificate: a client submits a request, an approver decides, and a signer issues the certificate.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
    spec: required(2, CertificateSigningRequestSpec, "Certificate request. Immutable after creation."),
    status: field(3, CertificateSigningRequestStatus, "Decision on the request and the issued certificate."),
  }),
);
export type CertificateSigningRequest = z.infer<typeof CertificateSigningRequest>;
