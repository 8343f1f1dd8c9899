import { parseForeignJson } from "@kintsugi/api";
import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";

// A JSON Web Token in its compact form: header.claims.signature, each base64url. The key determines
// the algorithm; upstream's clients support RS256 and ES256. The algorithm in a token's header is
// never trusted.

interface Algorithm {
  name: string;
  digest: string | null;
}

/** @throws Error for a key that upstream could not verify either. */
export function algorithmOf(key: KeyObject): Algorithm {
  switch (key.asymmetricKeyType) {
    case "rsa":
      return { name: "RS256", digest: "sha256" };
    case "ec":
      if (key.asymmetricKeyDetails?.namedCurve === "prime256v1") return { name: "ES256", digest: "sha256" };
      break;
    default:
  }
  throw new Error(`service account tokens are signed with RSA or P-256 keys, not with ${key.asymmetricKeyType}`);
}

/**
 * Identifies a public key to verifiers of tokens: the digest of its SubjectPublicKeyInfo, as in
 * upstream (pkg/serviceaccount/jwt.go).
 */
export function keyId(publicKey: KeyObject): string {
  return createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("base64url");
}

/**
 * Longer tokens are from another issuer: the claims of the longest names have a third of this
 * length.
 */
const tokenLengthMax = 8192;

/** Signs claims. */
export class TokenSigner {
  readonly #key: KeyObject;
  readonly #algorithm: Algorithm;
  readonly #keyId: string;

  constructor(key: KeyObject) {
    this.#key = key;
    this.#algorithm = algorithmOf(key);
    this.#keyId = keyId(createPublicKey(key));
  }

  sign(claims: object): string {
    const header = { alg: this.#algorithm.name, kid: this.#keyId, typ: "JWT" };
    const text = `${encode(header)}.${encode(claims)}`;
    const key = { key: this.#key, dsaEncoding: "ieee-p1363" as const };
    return `${text}.${sign(this.#algorithm.digest, Buffer.from(text), key).toString("base64url")}`;
  }
}

/** Reads tokens that are signed by one of its keys. */
export class TokenReader {
  /** Public keys, with their algorithms. */
  readonly #keys: readonly { key: KeyObject; algorithm: Algorithm; id: string }[];

  /** The keys may be private or public. */
  constructor(keys: readonly KeyObject[]) {
    this.#keys = keys.map((given) => {
      const key = verifyingKeyOf(given);
      return { key, algorithm: algorithmOf(key), id: keyId(key) };
    });
  }

  /**
   * The claims of a token with a valid signature; otherwise undefined. The times of the token are
   * not inspected.
   */
  read(token: string): unknown {
    const [header = "", claims = "", signature = "", ...rest] = token.split(".");
    if (token.length > tokenLengthMax || rest.length > 0) return undefined;
    const { alg, kid } = (decode(header) ?? {}) as { alg?: unknown; kid?: unknown };
    const text = Buffer.from(`${header}.${claims}`);
    const signed = Buffer.from(signature, "base64url");
    // The name only selects among the keys; all keys are tried for a token without a name.
    const candidates = this.#keys.filter(({ id, algorithm }) => alg === algorithm.name && (kid ?? id) === id);
    const isGood = candidates.some(({ key, algorithm }) =>
      verify(algorithm.digest, text, { key, dsaEncoding: "ieee-p1363" as const }, signed),
    );
    return isGood ? decode(claims) : undefined;
  }
}

export function verifyingKeyOf(key: KeyObject): KeyObject {
  return key.type === "public" ? key : createPublicKey(key);
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function decode(part: string): unknown {
  try {
    return parseForeignJson(Buffer.from(part, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}
