import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import type { Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { Loop } from "../run-until-signal.ts";
import { followFiles } from "./follow-files.ts";

export interface ServerTlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** The authority of the clients. */
  readonly clientCaFile: string;
}

/** PEM. */
export interface ServerTls {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

/** @throws Error that names the bad file and its fault. */
export async function readServerTls({ certFile, keyFile, clientCaFile }: ServerTlsFiles): Promise<ServerTls> {
  const [cert, key, ca] = await Promise.all([
    readPem(certFile, "the certificate"),
    readPem(keyFile, "its key"),
    readPem(clientCaFile, "the other side's authority"),
  ]);
  check(`${certFile} is not a certificate`, () => new X509Certificate(cert));
  check(`${clientCaFile} is not a certificate`, () => new X509Certificate(ca));
  check(`${keyFile} is not the key of ${certFile}`, () => createSecureContext({ cert, key }));
  return { cert, key, ca };
}

async function readPem(file: string, what: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new Error(`${what} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function check(message: string, use: () => unknown): void {
  try {
    use();
  } catch (error) {
    throw new Error(`${message}: ${(error as Error).message}`, { cause: error });
  }
}

/** The part of a server's TLS options that has to be set again with every new certificate. */
export function serverSecureContext(tls: ServerTls): SecureContextOptions {
  return { ...tls, minVersion: "TLSv1.2" };
}

export interface FollowedServerTls {
  readonly files: ServerTlsFiles;
  readonly initial: ServerTls;
  /** Lists the servers that currently present the certificate. */
  servers(): Iterable<{ setSecureContext(options: SecureContextOptions): void }>;
  /** Called with a new certificate once it is in use. */
  onApplied?: ((tls: ServerTls) => void) | undefined;
}

/** Updates the certificate of servers when its files change. Open connections are unaffected. */
export function followServerTls(deps: { clock: Clock; log: Logger }, followed: FollowedServerTls): Loop {
  const { files, initial } = followed;
  return followFiles(deps, {
    what: "serving certificate",
    files: [files.certFile, files.keyFile, files.clientCaFile],
    initial,
    read: () => readServerTls(files),
    apply: (tls) => {
      for (const server of followed.servers()) server.setSecureContext(serverSecureContext(tls));
      followed.onApplied?.(tls);
    },
  });
}
