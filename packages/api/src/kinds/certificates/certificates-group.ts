export * from "./certificate-signing-request/certificate-signing-request-kind.ts";
export * from "./certificate-signing-request/certificate-signing-request-type.ts";
export * from "./certificate-signing-request/certificate-signing-request.ts";
export * from "./cluster-trust-bundle/cluster-trust-bundle-type.ts";
