import type { Clock, Random } from "@kintsugi/clock";
import { type Authority, createAuthority, type KeyPair } from "@kintsugi/pki";

/** The certificates of a test server, which live as long as its process. */
export interface Identities {
  readonly authority: Authority;
  readonly server: KeyPair;
  readonly administrator: KeyPair;
  /** Bearer token of the administrator. */
  readonly token: string;
}

const tokenBytes = 24;

/** Makes the certificates of one cluster: its authority, API server and administrator. */
export async function createIdentities(
  deps: { clock: Clock; random: Random },
  { address }: { address: string },
): Promise<Identities> {
  const authority = await createAuthority(deps, "kubernetes");
  const [server, administrator] = await Promise.all([
    authority.issue({
      commonName: "kube-apiserver",
      usages: ["server"],
      dnsNames: ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"],
      ipAddresses: [...new Set(["127.0.0.1", "::1", address])],
    }),
    authority.issue({ commonName: "kubernetes-admin", organizations: ["system:masters"], usages: ["client"] }),
  ]);
  return { authority, server, administrator, token: Buffer.from(deps.random.bytes(tokenBytes)).toString("base64url") };
}
