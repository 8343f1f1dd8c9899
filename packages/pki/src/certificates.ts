import { createHash, webcrypto, X509Certificate } from "node:crypto";
import type { Clock, Random } from "@kintsugi/clock";
import type * as x509 from "@peculiar/x509";
import { loadX509 } from "./x509.ts";

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface Authority extends KeyPair {
  /** The certificate is valid for a year, unless for `validMs`. */
  issue(request: CertificateRequest, options?: { validMs?: number }): Promise<KeyPair>;
  /** Returns a certificate, PEM, for the author of the request, who keeps its key. */
  sign(request: SigningRequest, grant: { usages: CertificateRequest["usages"]; validMs: number }): Promise<string>;
}

/** The contents of a request for a certificate. */
export interface SigningRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
  /** The request itself. */
  readonly der: Uint8Array;
}

export interface CertificateRequest {
  /** The user as the API sees it: "system:node:node-1". */
  commonName: string;
  /** The user's groups. */
  organizations?: readonly string[];
  usages: readonly ("client" | "server")[];
  dnsNames?: readonly string[];
  ipAddresses?: readonly string[];
  emailAddresses?: readonly string[];
  uris?: readonly string[];
}

export const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const dayMs = 24 * 3600 * 1000;
/** kubeadm's values: ten years for the authority, one for its certificates. */
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
  const library = await loadX509();
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await library.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(deps.random),
    name: `CN=${name}`,
    ...validity(deps.clock, authorityDays * dayMs),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new library.BasicConstraintsExtension(true, undefined, true),
      new library.KeyUsagesExtension(
        library.KeyUsageFlags.keyCertSign | library.KeyUsageFlags.cRLSign | library.KeyUsageFlags.digitalSignature,
        true,
      ),
      await library.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return authority(deps, certificate, keys.privateKey);
}

/** The authority that `pair` holds. @throws when the two do not belong together or are no PEM. */
export async function openAuthority(deps: PkiDeps, pair: KeyPair): Promise<Authority> {
  const { PemConverter, X509Certificate: Certificate } = await loadX509();
  const key = await webcrypto.subtle.importKey("pkcs8", PemConverter.decodeFirst(pair.key), algorithm, true, ["sign"]);
  return authority(deps, new Certificate(pair.certificate), key);
}

/** Returns the end of a certificate, in milliseconds since 1970. */
export function endOf(certificate: string): number {
  // oxlint-disable-next-line no-restricted-globals -- parses a certificate, reads no clock
  return Date.parse(new X509Certificate(certificate).validTo);
}

async function authority(
  deps: PkiDeps,
  certificate: x509.X509Certificate,
  signingKey: webcrypto.CryptoKey,
): Promise<Authority> {
  return {
    certificate: pem(certificate),
    key: await exportKey(signingKey),
    issue: async (request, { validMs = leafDays * dayMs } = {}) => {
      const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
      const certify = { request, publicKey: keys.publicKey, validMs };
      const issued = await issue(deps, { certificate, signingKey }, certify);
      return { certificate: pem(issued), key: await exportKey(keys.privateKey) };
    },
    sign: async (request, { usages, validMs }) => {
      const { Pkcs10CertificateRequest } = await loadX509();
      const publicKey = await new Pkcs10CertificateRequest(request.der).publicKey.export();
      return pem(
        await issue(deps, { certificate, signingKey }, { request: { ...request, usages }, publicKey, validMs }),
      );
    },
  };
}

interface Issuer {
  certificate: x509.X509Certificate;
  signingKey: webcrypto.CryptoKey;
}

interface Certified {
  request: CertificateRequest;
  publicKey: webcrypto.CryptoKey;
  validMs: number;
}

async function issue(
  deps: PkiDeps,
  issuer: Issuer,
  { request, publicKey, validMs }: Certified,
): Promise<x509.X509Certificate> {
  const library = await loadX509();
  const alternativeNames = alternativeNamesOf(request);
  return library.X509CertificateGenerator.create({
    serialNumber: serial(deps.random),
    subject: subjectOf(library, request),
    issuer: issuer.certificate.subject,
    ...validity(deps.clock, validMs),
    signingKey: issuer.signingKey,
    publicKey,
    signingAlgorithm: algorithm,
    extensions: [
      new library.BasicConstraintsExtension(false, undefined, true),
      new library.KeyUsagesExtension(library.KeyUsageFlags.digitalSignature, true),
      new library.ExtendedKeyUsageExtension(
        request.usages.map((usage) => library.ExtendedKeyUsage[usage === "client" ? "clientAuth" : "serverAuth"]),
      ),
      await library.AuthorityKeyIdentifierExtension.create(issuer.certificate.publicKey),
      ...(alternativeNames.length > 0 ? [new library.SubjectAlternativeNameExtension(alternativeNames)] : []),
    ],
  });
}

export function alternativeNamesOf(
  request: Pick<CertificateRequest, "dnsNames" | "ipAddresses" | "emailAddresses" | "uris">,
): x509.JsonGeneralNames {
  return [
    ...(request.dnsNames ?? []).map((value) => ({ type: "dns" as const, value })),
    ...(request.ipAddresses ?? []).map((value) => ({ type: "ip" as const, value })),
    ...(request.emailAddresses ?? []).map((value) => ({ type: "email" as const, value })),
    ...(request.uris ?? []).map((value) => ({ type: "url" as const, value })),
  ];
}

/**
 * "sha256:<hex>" of the authority's public key, as kubeadm's --discovery-token-ca-cert-hash: it
 * identifies the authority to trust.
 */
export function authorityHash(certificate: string): string {
  const key = new X509Certificate(certificate).publicKey.export({ type: "spki", format: "der" });
  return `sha256:${createHash("sha256").update(key).digest("hex")}`;
}

/**
 * Upstream's order: the groups, then the user, each in a set of its own. They are handed over with
 * their types: a plain string the library takes for RFC 4514's notation, in which `#0c…`, `"…"` and
 * `\\` represent another name than they show.
 */
export function subjectOf(
  { Name }: Pick<typeof x509, "Name">,
  request: Pick<CertificateRequest, "commonName" | "organizations">,
): x509.Name {
  const text = (value: string) => (Name.isPrintableString(value) ? { printableString: value } : { utf8String: value });
  return new Name([
    ...(request.organizations ?? []).map((group) => ({ O: [text(group)] })),
    { CN: [text(request.commonName)] },
  ]);
}

function validity(clock: Clock, validMs: number): { notBefore: Date; notAfter: Date } {
  const nowMs = clock.nowMs();
  return { notBefore: instant(nowMs - backdateMs), notAfter: instant(nowMs + validMs) };
}

function instant(atMs: number): Date {
  // oxlint-disable-next-line no-restricted-globals -- the X.509 library takes instants as Date
  return new Date(atMs);
}

/** Returns a positive 127-bit number, as RFC 5280 section 4.1.2.2 requires. */
function serial(random: Random): string {
  const bytes = random.bytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x01;
  return Buffer.from(bytes).toString("hex");
}

function pem(certificate: x509.X509Certificate): string {
  return `${certificate.toString("pem")}\n`;
}

export async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const { PemConverter } = await loadX509();
  return `${PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY")}\n`;
}
