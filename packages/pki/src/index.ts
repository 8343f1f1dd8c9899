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
  type CertificateRequest,
  createAuthority,
  endOf,
  type KeyPair,
  openAuthority,
  type PkiDeps,
  type SigningRequest,
} from "./certificates.ts";
export { createSigningRequest, InvalidSigningRequest, readSigningRequest } from "./signing-request.ts";
