import { webcrypto } from "node:crypto";
import type * as x509 from "@peculiar/x509";
import { algorithm, alternativeNamesOf, exportKey, type SigningRequest, subjectOf } from "./certificates.ts";
import { loadX509 } from "./x509.ts";

export class InvalidSigningRequest extends Error {
  override readonly name = "InvalidSigningRequest";
}

/** Makes a key, and a request for a certificate of it; both PEM. */
export async function createSigningRequest(asked: {
  commonName: string;
  organizations?: readonly string[];
  dnsNames?: readonly string[];
  ipAddresses?: readonly string[];
}): Promise<{ request: string; key: string }> {
  const { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } = await loadX509();
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const names = alternativeNamesOf(asked);
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: subjectOf(asked),
    keys,
    signingAlgorithm: algorithm,
    ...(names.length > 0 ? { extensions: [new SubjectAlternativeNameExtension(names)] } : {}),
  });
  return { request: `${request.toString("pem")}\n`, key: await exportKey(keys.privateKey) };
}

/** @throws InvalidSigningRequest when it is none, or not signed by its own key. */
export async function readSigningRequest(pem: string): Promise<SigningRequest> {
  const library = await loadX509();
  const request = parse(library, pem);
  if (!(await request.verify().catch(() => false)))
    throw new InvalidSigningRequest("the request is not signed by the key it is for");
  const subject = request.subjectName.toJSON();
  const parts = (name: string) => subject.flatMap((part) => part[name] ?? []);
  const names = request.extensions.flatMap((each) =>
    each instanceof library.SubjectAlternativeNameExtension ? each.names.items : [],
  );
  const ofType = (type: string) => names.filter((name) => name.type === type).map(({ value }) => value);
  const [dnsNames, ipAddresses] = [ofType("dns"), ofType("ip")];
  return {
    commonName: parts("CN")[0] ?? "",
    organizations: parts("O"),
    dnsNames,
    ipAddresses,
    otherNames: dnsNames.length + ipAddresses.length < names.length,
    pem,
  };
}

function parse(
  { Pkcs10CertificateRequest }: Pick<typeof x509, "Pkcs10CertificateRequest">,
  pem: string,
): x509.Pkcs10CertificateRequest {
  try {
    return new Pkcs10CertificateRequest(pem);
  } catch (cause) {
    throw new InvalidSigningRequest("this is not a certificate request in PEM", { cause });
  }
}
