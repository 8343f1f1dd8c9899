import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { checkServerIdentity, connect, type PeerCertificate } from "node:tls";
import type { Logger } from "@kintsugi/api";
import { type ClusterAccess, expectedName } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";

export interface ApiAddressDeps {
  clock: Clock;
  log: Logger;
  /** Resolves a name on this machine to addresses. */
  resolve(name: string): Promise<readonly string[]>;
  /** The certificate that the server presents, which has been verified for the name. */
  certificateAt(context: { host: string; port: string }, signal: AbortSignal): Promise<PeerCertificate>;
}

const retryMs = 1000;

/**
 * The address at which this node's pods reach the API when the Service does not lead to it: the
 * address that the kubelet itself uses. A name that this machine resolves by Docker or its
 * /etc/hosts may be unknown in a pod. Once the server answers, pods therefore get an IP address for
 * which its certificate is valid too.
 */
export class ApiAddress {
  readonly #deps: ApiAddressDeps;
  readonly #port: string;
  #host: string;

  constructor(deps: ApiAddressDeps, server: string) {
    const { hostname, port } = new URL(server);
    this.#deps = deps;
    this.#host = hostname.replace(/^\[(.*)\]$/, "$1");
    this.#port = port === "" ? "443" : port;
  }

  get(): { host: string; port: string } {
    return { host: this.#host, port: this.#port };
  }

  /**
   * Ends when the address is found or cannot be found. Retries while the server does not answer.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    while (!signal.aborted && isIP(this.#host) === 0) {
      try {
        const certificate = await this.#deps.certificateAt(this.get(), signal);
        const addresses = await this.#deps.resolve(this.#host);
        const held = addresses.find((address) => checkServerIdentity(address, certificate) === undefined);
        if (held === undefined) {
          log.warn("pods get the API server's name, because its certificate has no IP address", { host: this.#host });
          return;
        }
        this.#host = held;
      } catch (error) {
        if (!signal.aborted) log.debug("API server's address not found yet", { host: this.#host, error });
        await clock.sleep(retryMs, signal).catch(() => {});
      }
    }
  }
}

/** Resolves a name as this machine does, including /etc/hosts; IPv4 addresses first. */
export async function resolveHere(name: string): Promise<readonly string[]> {
  const found = await lookup(name, { all: true, order: "ipv4first" });
  return found.map(({ address }) => address);
}

/**
 * Connects with the kubelet's own credentials.
 * @throws when the server does not answer, or is not the expected server.
 */
export function certificateShown(access: ClusterAccess): ApiAddressDeps["certificateAt"] {
  const { ca, cert, key, serverName } = access;
  return ({ host, port }, signal) =>
    new Promise((resolve, reject) => {
      const socket = connect({
        ca,
        cert,
        key,
        host,
        port: Number(port),
        ...expectedName(serverName ?? host),
        timeout: 5000,
      });
      const stop = () => socket.destroy(new Error("stopped"));
      signal.addEventListener("abort", stop, { once: true });
      socket.once("close", () => signal.removeEventListener("abort", stop));
      socket.once("timeout", () => socket.destroy(new Error("no answer within 5 s")));
      socket.once("error", reject);
      socket.once("secureConnect", () => {
        resolve(socket.getPeerCertificate());
        socket.destroy();
      });
    });
}
