import type { ResourceType } from "../../../meta/resource-type.ts";
import type { CertificateSigningRequest } from "./certificate-signing-request.ts";

export const certificateSigningRequests: ResourceType<CertificateSigningRequest> = {
  group: "certificates.k8s.io",
  version: "v1",
  resource: "certificatesigningrequests",
  singular: "certificatesigningrequest",
  kind: "CertificateSigningRequest",
  namespaced: false,
  shortNames: ["csr"],
  categories: [],
};
