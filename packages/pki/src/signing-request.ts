import { webcrypto } from "node:crypto";
import type * as x509 from "@peculiar/x509";
import { algorithm, alternativeNamesOf, exportKey, type SigningRequest, subjectOf } from "./certificates.ts";
import { InvalidSigningRequest } from "./invalid-signing-request.ts";
import { readSignedSubject } from "./request-signature.ts";
import { loadX509 } from "./x509.ts";

/** Makes a key, and a request for a certificate of it; both PEM. */
export async function createSigningRequest(asked: {
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
  const names = alternativeNamesOf(asked);
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: subjectOf(library, asked),
    keys,
    signingAlgorithm: algorithm,
    ...(names.length > 0 ? { extensions: [new SubjectAlternativeNameExtension(names)] } : {}),
  });
  return { request: `${request.toString("pem")}\n`, key: await exportKey(keys.privateKey) };
}

/** @throws InvalidSigningRequest when it is none, or not signed by its own key. */
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
