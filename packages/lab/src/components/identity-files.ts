import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The files of one identity, and of the authority that signed it. */
export interface IdentityFiles {
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile: string;
}

export function identityFiles(directory: string, name: string): IdentityFiles {
  return {
    certFile: join(directory, `${name}.crt`),
    keyFile: join(directory, `${name}.key`),
    caFile: join(directory, "ca.crt"),
  };
}

/** The key that signs the tokens of service accounts, with kubeadm's name. */
export function serviceAccountKeyFile(directory: string): string {
  return join(directory, "sa.key");
}

/** An identity and the authority that signed it, PEM. */
export interface Identity {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export function readIdentity(directory: string, name: string): Promise<Identity> {
  return readIdentityFiles(identityFiles(directory, name));
}

export async function readIdentityFiles({ caFile, certFile, keyFile }: IdentityFiles): Promise<Identity> {
  const [ca, cert, key] = (await Promise.all([caFile, certFile, keyFile].map((file) => readFile(file, "utf8")))) as [
    string,
    string,
    string,
  ];
  return { ca, cert, key };
}
