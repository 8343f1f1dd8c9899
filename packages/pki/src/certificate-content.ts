import { createHash } from "node:crypto";
import { isIPv4, isIPv6 } from "node:net";
import { DerReader, tags } from "./der-reader.ts";
import * as der from "./der-writer.ts";
import { InvalidSigningRequest } from "./invalid-signing-request.ts";

// The signed part of a certificate (RFC 5280, section 4.1):
//
//   SEQUENCE
//     [0] INTEGER 2        version 3
//     INTEGER              serial number
//     SEQUENCE             algorithm of the signature
//     SEQUENCE             name of the issuer
//     SEQUENCE             first and last instant
//     SEQUENCE             name of the subject
//     SEQUENCE             public key of the subject
//     [3] SEQUENCE         extensions

/** The algorithm of each signature: ECDSA with SHA-256. */
export const signatureAlgorithm = der.sequence(der.objectIdentifier("1.2.840.10045.4.3.2"));

export interface CertificateRequest {
  /** The user in the API: "system:node:node-1". */
  commonName: string;
  /** The user's groups. */
  organizations?: readonly string[];
  usages: readonly ("client" | "server")[];
  dnsNames?: readonly string[];
  ipAddresses?: readonly string[];
  emailAddresses?: readonly string[];
  uris?: readonly string[];
}

/** The fields of a certificate that its issuer determines. */
export interface CertificateContent {
  /** Positive, at most 20 bytes. */
  readonly serial: Uint8Array;
  /** The encoded names. */
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** The encoded key and its algorithm. */
  readonly publicKey: Uint8Array;
  readonly extensions: readonly Uint8Array[];
}

/** Encodes the part of a certificate that its issuer signs. */
export function certificateContent(content: CertificateContent): Buffer {
  const { serial, issuer, subject, notBeforeMs, notAfterMs, publicKey, extensions } = content;
  return der.sequence(
    der.numberedValues(0, der.integer(Buffer.of(2))),
    der.integer(serial),
    signatureAlgorithm,
    issuer,
    der.sequence(der.instant(notBeforeMs), der.instant(notAfterMs)),
    subject,
    publicKey,
    der.numberedValues(3, der.sequence(...extensions)),
  );
}

/** Encodes a name: upstream's order is the groups, then the user, each in its own set. */
export function encodedName({
  commonName,
  organizations = [],
}: Pick<CertificateRequest, "commonName" | "organizations">): Buffer {
  const part = (type: string, text: string) => der.set(der.sequence(der.objectIdentifier(type), der.encodedText(text)));
  return der.sequence(...organizations.map((group) => part("2.5.4.10", group)), part("2.5.4.3", commonName));
}

/** The extensions of an authority, which signs certificates and lists of revoked certificates. */
export function authorityExtensions(publicKey: Uint8Array): Buffer[] {
  return [
    extension("2.5.29.19", der.sequence(der.trueValue), { isCritical: true }),
    // digitalSignature, keyCertSign and cRLSign: the bits 0, 5 and 6.
    extension("2.5.29.15", der.bitString(Buffer.of(0b1000_0110), 1), { isCritical: true }),
    extension("2.5.29.14", der.octetString(keyIdentifier(publicKey))),
  ];
}

const usageIdentifiers = { server: "1.3.6.1.5.5.7.3.1", client: "1.3.6.1.5.5.7.3.2" };

/** The extensions of a server's or a client's certificate. @throws InvalidSigningRequest */
export function leafExtensions(
  request: Omit<CertificateRequest, "commonName" | "organizations">,
  issuerKey: Uint8Array,
): Buffer[] {
  const names = alternativeNames(request);
  const usages = request.usages.map((usage) => der.objectIdentifier(usageIdentifiers[usage]));
  return [
    extension("2.5.29.19", der.sequence(), { isCritical: true }),
    // digitalSignature: the bit 0.
    extension("2.5.29.15", der.bitString(Buffer.of(0b1000_0000), 7), { isCritical: true }),
    extension("2.5.29.37", der.sequence(...usages)),
    extension("2.5.29.35", der.sequence(der.numbered(0, keyIdentifier(issuerKey)))),
    ...(names.length > 0 ? [extension("2.5.29.17", der.sequence(...names))] : []),
  ];
}

/** Returns the encoded name and key of the subject of a certificate. */
export function subjectIn(certificate: Uint8Array): { name: Uint8Array; publicKey: Uint8Array } {
  const fields = new DerReader(certificate).enter(tags.sequence).enter(tags.sequence);
  fields.take(tags.first);
  fields.take(tags.integer);
  // The algorithm, the issuer and the time.
  for (let i = 0; i < 3; i++) fields.take(tags.sequence);
  return { name: fields.takeWhole(tags.sequence), publicKey: fields.takeWhole(tags.sequence) };
}

/** Returns the encoded key in a request (PKCS #10). @throws InvalidSigningRequest */
export function publicKeyIn(request: Uint8Array): Uint8Array {
  const fields = new DerReader(request).enter(tags.sequence).enter(tags.sequence);
  fields.take(tags.integer);
  fields.take(tags.sequence);
  return fields.takeWhole(tags.sequence);
}

function extension(type: string, value: Uint8Array, { isCritical = false } = {}): Buffer {
  return der.sequence(der.objectIdentifier(type), ...(isCritical ? [der.trueValue] : []), der.octetString(value));
}

/** The first method of RFC 5280, section 4.2.1.2: SHA-1 of the key's bits. */
function keyIdentifier(publicKey: Uint8Array): Buffer {
  const key = new DerReader(publicKey).enter(tags.sequence);
  key.take(tags.sequence);
  // A bit string begins with the number of unused bits in its last byte.
  const bits = key.take(tags.bitString).subarray(1);
  return createHash("sha1").update(bits).digest();
}

function alternativeNames(request: Omit<CertificateRequest, "commonName" | "organizations">): Buffer[] {
  const { dnsNames = [], ipAddresses = [], emailAddresses = [], uris = [] } = request;
  return [
    ...dnsNames.map((name) => der.numbered(2, der.ascii(name))),
    ...ipAddresses.map((address) => der.numbered(7, addressBytes(address))),
    ...emailAddresses.map((address) => der.numbered(1, der.ascii(address))),
    ...uris.map((uri) => der.numbered(6, der.ascii(uri))),
  ];
}

/** Returns the 4 or 16 bytes of an address. @throws InvalidSigningRequest */
function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split(".").map(Number));
  if (!isIPv6(address) || address.includes("%"))
    throw new InvalidSigningRequest(`${JSON.stringify(address)} is not an IP address`);
  // "fe80::10.0.0.1" is the same as "fe80::a00:1".
  const [, before = address, tail] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address) ?? [];
  const ends = tail === undefined ? [] : [...addressBytes(tail)];
  const [head = "", rest] = before.split("::");
  const groupsOf = (text = "") => text.split(":").filter((group) => group !== "");
  const bytesOf = (text?: string) =>
    groupsOf(text).flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]);
  const [first, last] = [bytesOf(head), [...bytesOf(rest), ...ends]];
  return Buffer.from([...first, ...Array.from({ length: 16 - first.length - last.length }, () => 0), ...last]);
}
