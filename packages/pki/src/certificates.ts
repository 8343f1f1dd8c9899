import { createHash, createPrivateKey, generateKeyPair, type KeyObject, sign, X509Certificate } from "node:crypto";
import { promisify } from "node:util";
import type { Clock, Random } from "@kintsugi/clock";
import {
  authorityExtensions,
  certificateContent,
  type CertificateContent,
  type CertificateRequest,
  encodedName,
  leafExtensions,
  publicKeyIn,
  signatureAlgorithm,
  subjectIn,
} from "./certificate-content.ts";
import { bitString, sequence } from "./der-writer.ts";
import { readSigningRequest, type SigningRequest } from "./signing-request.ts";

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface Authority extends KeyPair {
  /** The certificate is valid for `validMs`, by default for a year. */
  issue(request: CertificateRequest, options?: { validMs?: number }): Promise<KeyPair>;
  /** The same as `readSigningRequest`. */
  read(request: string): Promise<SigningRequest>;
  /** Returns a certificate, PEM, for the author of the request, who keeps the key. */
  sign(request: SigningRequest, grant: { usages: CertificateRequest["usages"]; validMs: number }): Promise<string>;
}

const curve = "prime256v1";
const dayMs = 24 * 3600 * 1000;
/** kubeadm's values: ten years for the authority, one year for its certificates. */
const authorityDays = 3650;
const leafDays = 365;
/** Allowed difference between the clocks of the cluster's machines. */
const backdateMs = 5 * 60 * 1000;

export interface PkiDeps {
  clock: Clock;
  random: Random;
}

/** Makes a new certificate authority. */
export async function createAuthority(deps: PkiDeps, name: string): Promise<Authority> {
  const keys = await newKeys();
  const named = encodedName({ commonName: name });
  const content = {
    serial: serial(deps.random),
    issuer: named,
    subject: named,
    ...validity(deps.clock, authorityDays * dayMs),
    publicKey: keys.publicKey,
    extensions: authorityExtensions(keys.publicKey),
  };
  return authority(deps, signed(content, keys.privateKey), keys.privateKey);
}

/**
 * The authority that `pair` contains. @throws when the certificate and key do not match or are not
 * PEM.
 */
export async function openAuthority(deps: PkiDeps, pair: KeyPair): Promise<Authority> {
  const key = createPrivateKey(pair.key);
  const certificate = new X509Certificate(pair.certificate);
  if (key.asymmetricKeyDetails?.namedCurve !== curve) throw new Error("the authority's key is not of the curve P-256");
  if (!certificate.checkPrivateKey(key)) throw new Error("the authority's key does not match its certificate");
  return authority(deps, certificate.raw, key);
}

/** Returns the end of a certificate's validity, in milliseconds since 1970. */
export function endOf(certificate: string): number {
  // oxlint-disable-next-line no-restricted-globals -- parses a certificate, reads no clock
  return Date.parse(new X509Certificate(certificate).validTo);
}

function authority(deps: PkiDeps, certificate: Uint8Array, key: KeyObject): Authority {
  const { name: issuer, publicKey: issuerKey } = subjectIn(certificate);
  const certify = (request: CertificateRequest, publicKey: Uint8Array, validMs: number) => {
    const content = {
      serial: serial(deps.random),
      issuer,
      subject: encodedName(request),
      ...validity(deps.clock, validMs),
      publicKey,
      extensions: leafExtensions(request, issuerKey),
    };
    return pem(signed(content, key));
  };
  return {
    certificate: pem(certificate),
    key: exportKey(key),
    issue: async (request, { validMs = leafDays * dayMs } = {}) => {
      const keys = await newKeys();
      return { certificate: certify(request, keys.publicKey, validMs), key: exportKey(keys.privateKey) };
    },
    read: readSigningRequest,
    sign: (request, { usages, validMs }) =>
      Promise.resolve().then(() => certify({ ...request, usages }, publicKeyIn(request.der), validMs)),
  };
}

/** Makes a key pair; the public key is encoded with its algorithm. */
async function newKeys(): Promise<{ publicKey: Buffer; privateKey: KeyObject }> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)("ec", { namedCurve: curve });
  return { publicKey: publicKey.export({ type: "spki", format: "der" }), privateKey };
}

function signed(content: CertificateContent, key: KeyObject): Buffer {
  const bytes = certificateContent(content);
  return sequence(bytes, signatureAlgorithm, bitString(sign("sha256", bytes, key)));
}

/**
 * "sha256:<hex>" of the authority's public key, as kubeadm's --discovery-token-ca-cert-hash, which
 * identifies the authority to trust.
 */
export function authorityHash(certificate: string): string {
  const key = new X509Certificate(certificate).publicKey.export({ type: "spki", format: "der" });
  return `sha256:${createHash("sha256").update(key).digest("hex")}`;
}

function validity(clock: Clock, validMs: number): { notBeforeMs: number; notAfterMs: number } {
  const nowMs = clock.nowMs();
  return { notBeforeMs: nowMs - backdateMs, notAfterMs: nowMs + validMs };
}

/** Returns a positive 127-bit number, as RFC 5280 section 4.1.2.2 requires. */
function serial(random: Random): Uint8Array {
  const bytes = random.bytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x01;
  return bytes;
}

function pem(certificate: Uint8Array): string {
  const lines =
    Buffer.from(certificate)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

function exportKey(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}
