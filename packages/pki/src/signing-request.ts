import { webcrypto } from "node:crypto";
import type * as x509 from "@peculiar/x509";
import type { CertificateRequest } from "./certificate-content.ts";
import { InvalidSigningRequest } from "./invalid-signing-request.ts";
import { readSignedSubject } from "./request-signature.ts";
import { loadX509 } from "./x509.ts";

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

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** Makes a key and a request for its certificate, both PEM. */
export async function createSigningRequest(subject: {
  commonName: string;
  organizations?: readonly string[];
  dnsNames?: readonly string[];
  ipAddresses?: readonly string[];
  emailAddresses?: readonly string[];
  uris?: readonly string[];
}): Promise<{ request: string; key: string }> {
  const library = await loadX509();
  const { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } = library;
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const names = alternativeNamesOf(subject);
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: subjectOf(library, subject),
    keys,
    signingAlgorithm: algorithm,
    ...(names.length > 0 ? { extensions: [new SubjectAlternativeNameExtension(names)] } : {}),
  });
  return { request: `${request.toString("pem")}\n`, key: await exportKey(library, keys.privateKey) };
}

/** @throws InvalidSigningRequest when it is not a request, or is not signed by its own key. */
export async function readSigningRequest(pem: string): Promise<SigningRequest> {
  const library = await loadX509();
  const { commonName, organizations, der } = readSignedSubject(pem);
  const request = parse(library, der);
  const names = request.extensions.flatMap((each) =>
    each instanceof library.SubjectAlternativeNameExtension ? each.names.items : [],
  );
  const ofType = (type: string) => names.filter((name) => name.type === type).map(({ value }) => value);
  return {
    commonName,
    organizations,
    dnsNames: ofType("dns"),
    ipAddresses: ofType("ip"),
    emailAddresses: ofType("email"),
    uris: ofType("url"),
    der,
  };
}

function parse(
  { Pkcs10CertificateRequest }: Pick<typeof x509, "Pkcs10CertificateRequest">,
  der: Uint8Array,
): x509.Pkcs10CertificateRequest {
  try {
    return new Pkcs10CertificateRequest(der);
  } catch (cause) {
    throw new InvalidSigningRequest("this is not a certificate request", { cause });
  }
}

function alternativeNamesOf(
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
 * Upstream's order: the groups, then the user, each in its own set. The names are passed with their
 * types, because the library parses a plain string as RFC 4514's notation, in which `#0c…`, `"…"`
 * and `\\` represent other names.
 */
function subjectOf(
  { Name }: Pick<typeof x509, "Name">,
  request: Pick<CertificateRequest, "commonName" | "organizations">,
): x509.Name {
  const text = (value: string) => (Name.isPrintableString(value) ? { printableString: value } : { utf8String: value });
  return new Name([
    ...(request.organizations ?? []).map((group) => ({ O: [text(group)] })),
    { CN: [text(request.commonName)] },
  ]);
}

async function exportKey(
  { PemConverter }: Pick<typeof x509, "PemConverter">,
  key: webcrypto.CryptoKey,
): Promise<string> {
  return `${PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY")}\n`;
}
