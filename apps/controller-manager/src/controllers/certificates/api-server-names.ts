import type { X509Certificate } from "node:crypto";
import { connect } from "node:tls";
import { expectedName } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";

export interface ApiServerPlace {
  /** "https://10.0.0.1:6443". */
  readonly server: string;
  /** PEM. */
  readonly ca: string;
  /** The name to expect in the certificate if the address is not in it. */
  readonly serverName?: string | undefined;
}

/** Timeout of the TLS handshake with the API server. */
const handshakeTimeoutMs = 5_000;

/** Requests that wait are reconciled repeatedly, but a certificate changes only in months. */
const keptMs = 60_000;

/**
 * Returns the names and addresses in the API server's certificate.
 * @throws Error when the server does not respond, or is not the expected server.
 */
export function apiServerNames(
  clock: Clock,
  place: ApiServerPlace,
): (signal: AbortSignal) => Promise<readonly string[]> {
  let kept: { names: readonly string[]; atMs: number } | undefined;
  return async (signal) => {
    if (kept !== undefined && clock.monotonicMs() - kept.atMs < keptMs) return kept.names;
    const names = namesIn((await readCertificate(place, signal)).subjectAltName);
    kept = { names, atMs: clock.monotonicMs() };
    return names;
  };
}

function readCertificate({ server, ca, serverName }: ApiServerPlace, signal: AbortSignal): Promise<X509Certificate> {
  const { hostname, port } = new URL(server);
  const host = hostname.replace(/^\[|\]$/g, "");
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      ca,
      ...expectedName(serverName ?? host),
    });
    const fail = (because: string, cause?: Error) => {
      socket.destroy();
      reject(new Error(`certificate of the API server at ${server} not read: ${because}`, { cause }));
    };
    const abort = () => fail("aborted");
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    socket.once("close", () => signal.removeEventListener("abort", abort));
    socket.setTimeout(handshakeTimeoutMs, () => fail(`no answer within ${handshakeTimeoutMs / 1000} s`));
    socket.once("error", (error) => fail(error.message, error));
    socket.once("secureConnect", () => {
      const certificate = socket.getPeerX509Certificate();
      socket.destroy();
      if (certificate === undefined) reject(new Error(`the API server at ${server} has shown no certificate`));
      else resolve(certificate);
    });
  });
}

/**
 * Parses `DNS:localhost, IP Address:127.0.0.1`; Node quotes a name in which there is a comma or a
 * quote.
 */
export function namesIn(alternativeNames: string | undefined): string[] {
  const entries = (alternativeNames ?? "").matchAll(/(?:^|, )(?:DNS|IP Address):("(?:[^"\\]|\\.)*"|[^,]*)/g);
  return [...entries].map(([, value = ""]) => (value.startsWith('"') ? (JSON.parse(value) as string) : value));
}
