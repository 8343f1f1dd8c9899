export type { CertificateRequest } from "./certificate-content.ts";
export {
  type BootstrapToken,
  isSignedBy,
  newBootstrapToken,
  parseBootstrapToken,
  signDetached,
} from "./bootstrap-token.ts";
export {
  type Authority,
  authorityHash,
  createAuthority,
  endOf,
  type KeyPair,
  openAuthority,
  type PkiDeps,
} from "./certificates.ts";
export { InvalidSigningRequest } from "./invalid-signing-request.ts";
export { readSignedSubject } from "./request-signature.ts";
export { type RequestSubject } from "./request-subject.ts";
export { createSigningRequest, readSigningRequest, type SigningRequest } from "./signing-request.ts";
export { claimsOfSecretToken, readSecretToken, type SecretToken } from "./secret-token.ts";
export { algorithmOf, keyId, verifyingKeyOf, TokenReader, TokenSigner } from "./signed-token.ts";
export { explainTrustBundle } from "./trust-bundle.ts";
