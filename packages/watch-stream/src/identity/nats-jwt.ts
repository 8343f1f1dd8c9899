import { createHash } from "node:crypto";
import { fromPublic, fromSeed } from "./nkeys.ts";

// NATS's own tokens (github.com/nats-io/jwt, version 2): a JSON header and claims, signed with the
// issuer's nkey (Ed25519).
//
//   operator ── signs ──► account ── signs ──► user: the subjects of one process
//
// The server is configured with the operator's and the account's token, so users can be added and
// removed without a change of its configuration.

/** The rights of a user. Everything that is not allowed is denied. */
export interface SubjectPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** Concurrent subscriptions of a connection; unlimited if absent. */
  readonly subscriptionsMax?: number;
}

export interface TokenTimes {
  issuedAtMs: number;
  /** Undefined: never. */
  expiresAtMs?: number;
}

/** The number in NATS's tokens that means unlimited. */
const unlimited = -1;

/** The operator's token, signed by itself. */
export function operatorJwt(operatorSeed: string, times: TokenTimes): string {
  return sign(operatorSeed, {
    subject: publicKeyOf(operatorSeed),
    name: "kintsugi",
    times,
    nats: { type: "operator", version: 2 },
  });
}

export function accountJwt(operatorSeed: string, accountPublicKey: string, times: TokenTimes): string {
  const limits = {
    subs: unlimited,
    data: unlimited,
    payload: unlimited,
    conn: unlimited,
    leaf: 0,
    imports: 0,
    exports: 0,
    wildcards: false,
  };
  return sign(operatorSeed, {
    subject: accountPublicKey,
    name: "kintsugi",
    times,
    nats: { limits, default_permissions: { pub: {}, sub: {} }, type: "account", version: 2 },
  });
}

export function userJwt(
  accountSeed: string,
  user: { publicKey: string; name: string; permissions: SubjectPermissions },
  times: TokenTimes,
): string {
  const nats = {
    pub: allowOnly(user.permissions.publish),
    sub: allowOnly(user.permissions.subscribe),
    subs: user.permissions.subscriptionsMax ?? unlimited,
    data: unlimited,
    payload: unlimited,
    type: "user",
    version: 2,
  };
  return sign(accountSeed, { subject: user.publicKey, name: user.name, times, nats });
}

export function publicKeyOf(seed: string): string {
  return fromSeed(Buffer.from(seed)).getPublicKey();
}

/** Reports whether `text` is the public key of a user. */
export function isUserPublicKey(text: string): boolean {
  if (!/^U[A-Z2-7]{55}$/.test(text)) return false;
  try {
    fromPublic(text);
    return true;
  } catch {
    return false;
  }
}

/** An empty list of allowed subjects would mean "everything", so a user's list is never empty. */
function allowOnly(subjects: readonly string[]): { allow?: readonly string[]; deny?: readonly string[] } {
  return subjects.length > 0 ? { allow: subjects } : { deny: [">"] };
}

interface Claims {
  subject: string;
  name: string;
  times: TokenTimes;
  nats: Readonly<Record<string, unknown>>;
}

function sign(issuerSeed: string, { subject, name, times, nats }: Claims): string {
  const issuer = fromSeed(Buffer.from(issuerSeed));
  const claims = {
    iat: Math.floor(times.issuedAtMs / 1000),
    ...(times.expiresAtMs === undefined ? {} : { exp: Math.floor(times.expiresAtMs / 1000) }),
    iss: issuer.getPublicKey(),
    name,
    sub: subject,
    nats,
  };
  const jti = createHash("sha256").update(JSON.stringify(claims)).digest("hex");
  const head = base64url(JSON.stringify({ typ: "JWT", alg: "ed25519-nkey" }));
  const body = `${head}.${base64url(JSON.stringify({ jti, ...claims }))}`;
  return `${body}.${base64url(issuer.sign(Buffer.from(body)))}`;
}

function base64url(content: string | Uint8Array): string {
  return Buffer.from(content).toString("base64url");
}
