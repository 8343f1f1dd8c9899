import { constants, createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { DocumentReader } from "../issuer-keys.ts";

export const issuerUrl = "https://issuer.example.com";

interface SigningKey {
  readonly id: string;
  readonly alg: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export function rsaKey(id: string, alg = "RS256", modulusLength = 2048): SigningKey {
  return { id, alg, ...generateKeyPairSync("rsa", { modulusLength }) };
}

export function ecKey(id: string, namedCurve = "prime256v1", alg = "ES256"): SigningKey {
  return { id, alg, ...generateKeyPairSync("ec", { namedCurve }) };
}

/** The documents of an issuer. A test changes them, and makes reads fail. */
export class TestIssuer implements DocumentReader {
  readonly places: string[] = [];
  discovery: unknown = { issuer: issuerUrl, jwks_uri: `${issuerUrl}/keys` };
  keys: readonly SigningKey[];
  /** Members of the JSON Web Keys in addition to the key's own. */
  members: Readonly<Record<string, unknown>> = {};
  fails = false;

  constructor(...keys: SigningKey[]) {
    this.keys = keys;
  }

  read(url: string): Promise<string> {
    this.places.push(url);
    if (this.fails) return Promise.reject(new Error("no connection"));
    const keys = this.keys.map(({ id, publicKey }) => ({
      ...publicKey.export({ format: "jwk" }),
      kid: id,
      ...this.members,
    }));
    return Promise.resolve(JSON.stringify(url.endsWith("/keys") ? { keys } : this.discovery));
  }
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A token of the claims; `header` replaces members of its header. */
export function tokenOf(key: SigningKey, claims: object, header: object = {}): string {
  const text = `${encode({ alg: key.alg, kid: key.id, typ: "JWT", ...header })}.${encode(claims)}`;
  const padding = key.alg.startsWith("PS")
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : {};
  const options = { key: key.privateKey, dsaEncoding: "ieee-p1363" as const, ...padding };
  return `${text}.${sign(`sha${key.alg.slice(2)}`, Buffer.from(text), options).toString("base64url")}`;
}

/** A token whose signature is an HMAC with the public key as its secret. */
export function tokenByHmac(key: SigningKey, claims: object): string {
  const text = `${encode({ alg: "HS256", kid: key.id })}.${encode(claims)}`;
  const secret = key.publicKey.export({ type: "spki", format: "pem" });
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

export function unsignedToken(claims: object): string {
  return `${encode({ alg: "none" })}.${encode(claims)}.`;
}
