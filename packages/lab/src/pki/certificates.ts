import "reflect-metadata";
import { webcrypto } from "node:crypto";
import type { Clock, Random } from "@kintsugi/clock";
import * as x509 from "@peculiar/x509";

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface Authority extends KeyPair {
  issue(request: CertificateRequest): Promise<KeyPair>;
}

export interface CertificateRequest {
  /** The user as the API sees it: "system:node:node-1". */
  commonName: string;
  /** The user's groups. */
  organizations?: readonly string[];
  usages: readonly ("client" | "server")[];
  dnsNames?: readonly string[];
  ipAddresses?: readonly string[];
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const dayMs = 24 * 3600 * 1000;
/** kubeadm's: ten years for the authority, one for what it signs. */
const authorityDays = 3650;
const leafDays = 365;
/** Clocks of the cluster's machines may differ by this much. */
const backdateMs = 5 * 60 * 1000;

export interface PkiDeps {
  clock: Clock;
  random: Random;
}

/** Makes a new certificate authority. */
export async function createAuthority(deps: PkiDeps, name: string): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(deps.random),
    name: `CN=${name}`,
    ...validity(deps.clock, authorityDays),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return authority(deps, certificate, keys.privateKey);
}

/** The authority that `pair` holds. @throws when the two do not belong together or are no PEM. */
export async function openAuthority(deps: PkiDeps, pair: KeyPair): Promise<Authority> {
  const key = await webcrypto.subtle.importKey("pkcs8", x509.PemConverter.decodeFirst(pair.key), algorithm, true, [
    "sign",
  ]);
  return authority(deps, new x509.X509Certificate(pair.certificate), key);
}

/** Until when a certificate holds, in milliseconds since 1970. */
export function endOf(certificate: string): number {
  return new x509.X509Certificate(certificate).notAfter.getTime();
}

async function authority(
  deps: PkiDeps,
  certificate: x509.X509Certificate,
  signingKey: webcrypto.CryptoKey,
): Promise<Authority> {
  return {
    certificate: pem(certificate),
    key: await exportKey(signingKey),
    issue: (request) => issue(deps, { certificate, signingKey }, request),
  };
}

interface Issuer {
  certificate: x509.X509Certificate;
  signingKey: webcrypto.CryptoKey;
}

async function issue(deps: PkiDeps, issuer: Issuer, request: CertificateRequest): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const alternativeNames: x509.JsonGeneralNames = [
    ...(request.dnsNames ?? []).map((value) => ({ type: "dns" as const, value })),
    ...(request.ipAddresses ?? []).map((value) => ({ type: "ip" as const, value })),
  ];
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial(deps.random),
    subject: subjectOf(request),
    issuer: issuer.certificate.subject,
    ...validity(deps.clock, leafDays),
    signingKey: issuer.signingKey,
    publicKey: keys.publicKey,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension(
        request.usages.map((usage) => x509.ExtendedKeyUsage[usage === "client" ? "clientAuth" : "serverAuth"]),
      ),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.certificate.publicKey),
      ...(alternativeNames.length > 0 ? [new x509.SubjectAlternativeNameExtension(alternativeNames)] : []),
    ],
  });
  return { certificate: pem(certificate), key: await exportKey(keys.privateKey) };
}

/** Upstream's order: the groups, then the user. Each in a set of its own, so that no value needs escaping. */
function subjectOf(request: CertificateRequest): x509.JsonName {
  return [...(request.organizations ?? []).map((group) => ({ O: [group] })), { CN: [request.commonName] }];
}

function validity(clock: Clock, days: number): { notBefore: Date; notAfter: Date } {
  const nowMs = clock.nowMs();
  return { notBefore: instant(nowMs - backdateMs), notAfter: instant(nowMs + days * dayMs) };
}

function instant(atMs: number): Date {
  // oxlint-disable-next-line no-restricted-globals -- the X.509 library takes instants as Date; this one is given, not read.
  return new Date(atMs);
}

/** A positive 127-bit number, as RFC 5280 section 4.1.2.2 asks. */
function serial(random: Random): string {
  const bytes = random.bytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x01;
  return Buffer.from(bytes).toString("hex");
}

function pem(certificate: x509.X509Certificate): string {
  return `${certificate.toString("pem")}\n`;
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return `${x509.PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY")}\n`;
}
