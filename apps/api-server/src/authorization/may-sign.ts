import type { UserInfo, Authorizer } from "./authorization.ts";
import { nothingElse } from "./assert-allowed.ts";

/** A verb on a signer of certificates: approve, sign or attest. */
interface SignerRequest {
  readonly user: UserInfo;
  readonly verb: string;
  readonly signer: string;
}

/** Reports whether a user has a right on a signer, or on all signers of its domain. */
export function maySign(authorizer: Authorizer, { user, verb, signer }: SignerRequest): boolean {
  const asked = { ...nothingElse, user, verb, group: "certificates.k8s.io", version: "v1", resource: "signers" };
  const names = [signer, `${signer.split("/")[0]}/*`];
  return names.some((name) => authorizer.authorize({ ...asked, name }).allowed);
}
