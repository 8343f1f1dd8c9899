import "reflect-metadata";
import { webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";
import { algorithm, alternativeNamesOf, exportKey, type SigningRequest, subjectOf } from "./certificates.ts";

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
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const names = alternativeNamesOf(asked);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subjectOf(asked),
    keys,
    signingAlgorithm: algorithm,
    ...(names.length > 0 ? { extensions: [new x509.SubjectAlternativeNameExtension(names)] } : {}),
  });
  return { request: `${request.toString("pem")}\n`, key: await exportKey(keys.privateKey) };
}

/** @throws InvalidSigningRequest when it is none, or not signed by its own key. */
export async function readSigningRequest(pem: string): Promise<SigningRequest> {
  const request = parse(pem);
  if (!(await request.verify().catch(() => false)))
    throw new InvalidSigningRequest("the request is not signed by the key it is for");
  const subject = request.subjectName.toJSON();
  const parts = (name: string) => subject.flatMap((part) => part[name] ?? []);
  const names = request.extensions.flatMap((each) =>
    each instanceof x509.SubjectAlternativeNameExtension ? each.names.items : [],
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

function parse(pem: string): x509.Pkcs10CertificateRequest {
  try {
    return new x509.Pkcs10CertificateRequest(pem);
  } catch (cause) {
    throw new InvalidSigningRequest("this is not a certificate request in PEM", { cause });
  }
}
