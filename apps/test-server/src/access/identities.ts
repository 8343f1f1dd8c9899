import { generateKeyPairSync } from "node:crypto";
import { type ApiServerDeps, parseTokenFile, type ServerOptions } from "@kintsugi/api-server/factory";
import type { CallerIdentity } from "@kintsugi/client";
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

/** Certificates, keys and tokens that a caller has made for the cluster. */
export interface GivenCredentials {
  /** The certificate of the server; if absent, the cluster makes the certificate. */
  readonly server?: KeyPair | undefined;
  /** An additional authority of clients, PEM. */
  readonly clientCa?: string | undefined;
  /** The keys that sign service account tokens; if absent, the cluster makes a key. */
  readonly serviceAccounts?: ApiServerDeps["serviceAccountTokens"] | undefined;
  /** Additional tokens of users, as lines of CSV: token, name, UID and groups. */
  readonly tokens?: string | undefined;
}

export const administrator = { name: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] };

const tokenBytes = 24;
/**
 * A test may move its clock by years, and the administrator's certificate must still be valid then.
 */
const administratorValidMs = 9 * 366 * 24 * 3_600_000;

/** Makes the certificates of one cluster: its authority, API server and administrator. */
export async function createIdentities(
  deps: { clock: Clock; random: Random },
  { address, given }: { address: string; given?: GivenCredentials | undefined },
): Promise<Identities> {
  const authority = await createAuthority(deps, "kubernetes");
  const [server, certified] = await Promise.all([
    given?.server ??
      authority.issue({
        commonName: "kube-apiserver",
        usages: ["server"],
        dnsNames: ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"],
        ipAddresses: [...new Set(["127.0.0.1", "::1", address])],
      }),
    authority.issue(
      { commonName: administrator.name, organizations: ["system:masters"], usages: ["client"] },
      { validMs: administratorValidMs },
    ),
  ]);
  const token = Buffer.from(deps.random.bytes(tokenBytes)).toString("base64url");
  return { authority, server, administrator: certified, token };
}

/**
 * Returns the authority that signs certificates for outside clients. TLS uses real time, so a
 * certificate begins in real time; it ends by the clock of the cluster, which only moves ahead.
 * @param deps `counted` is called with the work for which a move of the clock waits.
 */
export function signingBy(
  authority: Authority,
  {
    clock,
    real,
    counted,
  }: { clock: Pick<Clock, "nowMs">; real: Pick<Clock, "nowMs">; counted: <T>(work: Promise<T>) => Promise<T> },
): Authority {
  return {
    ...authority,
    // The first request loads a library, which takes real time.
    read: (request) => counted(authority.read(request)),
    sign: (request, { usages, validMs }) => {
      const aheadMs = clock.nowMs() - real.nowMs();
      return counted(authority.sign(request, { usages, validMs: validMs + aheadMs }));
    },
  };
}

/** Returns the TLS of a server that accepts clients of its own and of the given authority. */
export function tlsOf({ authority, server }: Identities, given: GivenCredentials | undefined) {
  const ca = [authority.certificate, ...(given?.clientCa === undefined ? [] : [given.clientCa])].join("\n");
  return { cert: server.certificate, key: server.key, ca };
}

/** Returns the tokens that the API server signs and accepts. */
export function tokensOf(
  { token }: Identities,
  given: GivenCredentials | undefined,
): Pick<ApiServerDeps, "serviceAccountTokens" | "staticTokens"> {
  const own = `${token},${administrator.name},,"system:masters"`;
  return {
    serviceAccountTokens: given?.serviceAccounts ?? newTokenKey(),
    staticTokens: parseTokenFile([given?.tokens ?? "", own].join("\n"), "the list of tokens"),
  };
}

function newTokenKey() {
  const { privateKey: signingKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const issuer = "https://kubernetes.default.svc.cluster.local";
  return { signingKey, issuer, audiences: [issuer] };
}

/** The user as which a service of this process calls the API. */
export function testIdentityOf(service: string): CallerIdentity {
  const name = { scheduler: "system:kube-scheduler", "controller-manager": "system:kube-controller-manager" }[service];
  // An installation of a provider adds its own roles, which a test server does not have.
  return name === undefined ? administrator : { name, groups: ["system:authenticated"] };
}

/** Returns the authorities of clients, for API servers that extend this server. */
export function extensionsOf(
  identities: Identities,
  given: GivenCredentials | undefined,
): ServerOptions["extensionAuthentication"] {
  return { clientCa: tlsOf(identities, given).ca, requestHeader: undefined };
}
