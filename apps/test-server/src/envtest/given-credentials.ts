import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { GivenCredentials } from "../access/identities.ts";
import type { CredentialFiles } from "./kube-apiserver-flags.ts";

/**
 * Reads the files that envtest has written. A certificate directory that is still empty is not a
 * fault: upstream's program makes a certificate then.
 * @throws Error that names the invalid file and its fault.
 */
export async function readGivenCredentials(files: CredentialFiles): Promise<GivenCredentials> {
  const { certificate, key, clientCa, tokens } = files;
  const isGiven = certificate !== undefined && key !== undefined && existsSync(certificate) && existsSync(key);
  return {
    server: isGiven
      ? {
          certificate: await readPart(certificate, (text) => new X509Certificate(text)),
          key: await readPart(key, (text) => createPrivateKey(text)),
        }
      : undefined,
    clientCa: clientCa === undefined ? undefined : await readPart(clientCa, (text) => new X509Certificate(text)),
    tokens: tokens === undefined ? undefined : await readPart(tokens, () => {}),
    serviceAccounts: await serviceAccountsIn(files),
  };
}

async function serviceAccountsIn(files: CredentialFiles): Promise<GivenCredentials["serviceAccounts"]> {
  const { serviceAccountSigningKey, serviceAccountKeys, issuer, audiences } = files;
  if (serviceAccountSigningKey === undefined) return undefined;
  const signingKey = await readKey(serviceAccountSigningKey, createPrivateKey);
  const keys = await Promise.all(serviceAccountKeys.map((file) => readKey(file, createPublicKey)));
  return { signingKey, keys, issuer, audiences: audiences ?? [issuer] };
}

async function readKey(file: string, parse: (text: string) => KeyObject): Promise<KeyObject> {
  return parse(await readPart(file, parse));
}

async function readPart(file: string, parse: (text: string) => unknown): Promise<string> {
  try {
    const text = await readFile(file, "utf8");
    parse(text);
    return text;
  } catch (error) {
    throw new Error(`${file} cannot be used: ${(error as Error).message}`, { cause: error });
  }
}
