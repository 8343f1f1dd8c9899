import { parseForeignJson } from "@kintsugi/api";
import { constants, createPublicKey, type JsonWebKey, type KeyObject, verify } from "node:crypto";
import { z } from "zod";

// A JSON Web Token in its compact form: header.claims.signature, each base64url. The algorithm of
// the header is only a request: the configuration must allow it, and the key's type, curve and own
// "alg" have to agree with it. The table contains neither "none" nor any HMAC, so a public key is
// never used as a secret.

interface Scheme {
  readonly digest: string;
  readonly kty: "RSA" | "EC";
  readonly curve?: string;
  readonly isPss?: true;
}

const schemes = {
  RS256: { digest: "sha256", kty: "RSA" },
  RS384: { digest: "sha384", kty: "RSA" },
  RS512: { digest: "sha512", kty: "RSA" },
  ES256: { digest: "sha256", kty: "EC", curve: "prime256v1" },
  ES384: { digest: "sha384", kty: "EC", curve: "secp384r1" },
  ES512: { digest: "sha512", kty: "EC", curve: "secp521r1" },
  PS256: { digest: "sha256", kty: "RSA", isPss: true },
  PS384: { digest: "sha384", kty: "RSA", isPss: true },
  PS512: { digest: "sha512", kty: "RSA", isPss: true },
} as const satisfies Readonly<Record<string, Scheme>>;

export type JwtAlgorithm = keyof typeof schemes;
export const jwtAlgorithms = Object.keys(schemes) as readonly JwtAlgorithm[];

export type JwtClaims = Readonly<Record<string, unknown>>;

/** A token whose signature has not been verified, so its content must not be trusted. */
export interface UnverifiedJwt {
  readonly algorithm: JwtAlgorithm;
  /** The name of the key; "" where the header does not name a key. */
  readonly keyId: string;
  readonly claims: JwtClaims;
  readonly signed: Buffer;
  readonly signature: Buffer;
}

/** A key that an issuer publishes. */
export interface VerificationKey {
  readonly id: string;
  /** Undefined: any algorithm of the key's type. */
  readonly algorithm: string | undefined;
  readonly key: KeyObject;
}

/**
 * Limit of a token's length, at which a token has hundreds of groups. Headers have a separate
 * limit.
 */
const tokenLengthMax = 16 * 1024;
const part = /^[\w-]+$/;

const Header = z.object({ alg: z.enum(jwtAlgorithms), kid: z.string().default(""), crit: z.undefined().optional() });

/** Parses the parts of a token; undefined for text that is not a token. */
export function readJwt(token: string): UnverifiedJwt | undefined {
  const [header = "", claims = "", signature = "", ...rest] = token.split(".");
  if (token.length > tokenLengthMax || rest.length > 0) return undefined;
  if (![header, claims, signature].every((each) => part.test(each))) return undefined;
  const parsed = Header.safeParse(decode(header));
  const content = decode(claims);
  if (!parsed.success || typeof content !== "object" || content === null || Array.isArray(content)) return undefined;
  return {
    algorithm: parsed.data.alg,
    keyId: parsed.data.kid,
    claims: content as JwtClaims,
    signed: Buffer.from(`${header}.${claims}`),
    signature: Buffer.from(signature, "base64url"),
  };
}

function decode(text: string): unknown {
  try {
    return parseForeignJson(Buffer.from(text, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Reports whether the token was signed with the private half of the key. */
export function isJwtSignedBy({ algorithm, signed, signature }: UnverifiedJwt, key: VerificationKey): boolean {
  const scheme: Scheme = schemes[algorithm];
  if (key.algorithm !== undefined && key.algorithm !== algorithm) return false;
  const { asymmetricKeyType, asymmetricKeyDetails } = key.key;
  if (asymmetricKeyType !== scheme.kty.toLowerCase()) return false;
  if (scheme.curve !== undefined && asymmetricKeyDetails?.namedCurve !== scheme.curve) return false;
  const padding = scheme.isPss
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : {};
  return verify(scheme.digest, signed, { key: key.key, dsaEncoding: "ieee-p1363", ...padding }, signature);
}

/**
 * Issuers have two or three keys. A token that does not name its key is verified with all of them.
 */
const keysMax = 64;
/** Shorter keys can be factored, and verification with longer keys takes too long. */
const [rsaBitsMin, rsaBitsMax] = [2048, 8192] as const;
/**
 * The usual exponent 65537 has four characters. A huge exponent would make each verification slow.
 */
const exponentLengthMax = 6;

const KeySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())).max(keysMax) });
const text = z.string().optional();
const Key = z.object({
  kty: z.enum(["RSA", "EC"]),
  kid: z.string().default(""),
  use: z.literal("sig").optional(),
  alg: text,
  n: text,
  e: z.string().max(exponentLengthMax).optional(),
  crv: text,
  x: text,
  y: text,
});

/**
 * Parses a JSON Web Key Set. Keys that are not for signatures or are too weak are omitted.
 * @throws Error for a document that is not a key set.
 */
export function parseKeySet(document: unknown): VerificationKey[] {
  return KeySet.parse(document).keys.flatMap((each) => readKey(each) ?? []);
}

function readKey(jwk: Readonly<Record<string, unknown>>): VerificationKey | undefined {
  const parsed = Key.safeParse(jwk);
  if (!parsed.success) return undefined;
  const { kty, kid, alg, n, e, crv, x, y } = parsed.data;
  // Only the public members are passed on.
  const publicJwk = (kty === "RSA" ? { kty, n, e } : { kty, crv, x, y }) as JsonWebKey;
  try {
    const key = createPublicKey({ key: publicJwk, format: "jwk" });
    const bits = key.asymmetricKeyDetails?.modulusLength ?? rsaBitsMin;
    return bits < rsaBitsMin || bits > rsaBitsMax ? undefined : { id: kid, algorithm: alg, key };
  } catch {
    return undefined;
  }
}
