import type { ClientRequest } from "node:http";
import { connect, type Socket } from "node:net";

/** Reports whether a machine accepts a connection. */
export type TryConnection = (base: URL) => Promise<boolean>;

/** One lost packet is repeated by TCP after 1 s. */
const probeTimeoutMs = 3_000;

/** Opens a connection and closes it. A machine that is off, or cut off, does not answer at all. */
export const tryByTcp: TryConnection = (base) =>
  new Promise((resolve) => {
    const host = base.hostname.replace(/^\[(.*)\]$/, "$1");
    const socket = connect({ host, port: base.port === "" ? 443 : Number(base.port) });
    const end = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.setTimeout(probeTimeoutMs, () => end(false));
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });

/**
 * Detects which of several servers has died without closing its connections. Such connections
 * remain open and silent for longer than a heartbeat may be late: upstream's clients detect the
 * failure after 45 s. When a connection is silent for a while, the transport opens another
 * connection to the same machine. If that connection fails, all requests to the machine end and can
 * be sent to other servers.
 */
export class ServerProbe {
  readonly #probe: TryConnection;
  /** One probe at a time is sent to a machine. */
  readonly #running = new Map<string, Promise<boolean>>();
  /** The requests that wait for a machine, or read from it. */
  readonly #requests = new Map<string, Set<ClientRequest>>();

  constructor(probe: TryConnection) {
    this.#probe = probe;
  }

  /**
   * Follows a request on its connected socket until the request is closed. Its machine is probed
   * whenever the socket was silent for `silenceMs`; `onGone` is called before the requests end.
   */
  follow(
    { base, request, socket }: { base: URL; request: ClientRequest; socket: Socket },
    options: { silenceMs: number; onGone: () => void },
  ): void {
    const { origin } = base;
    const requests = this.#requests.get(origin) ?? new Set();
    this.#requests.set(origin, requests.add(request));
    const look = () => {
      socket.setTimeout(options.silenceMs);
      void this.#isThere(base).then((isThere) => {
        if (isThere || !requests.has(request)) return;
        options.onGone();
        const gone = new Error(`${origin} did not respond, and accepts no connection`);
        for (const each of requests) each.destroy(gone);
      });
    };
    socket.setTimeout(options.silenceMs);
    socket.on("timeout", look);
    request.once("close", () => {
      requests.delete(request);
      socket.off("timeout", look);
    });
  }

  #isThere(base: URL): Promise<boolean> {
    const running = this.#running.get(base.origin);
    if (running !== undefined) return running;
    const next = this.#probe(base).finally(() => this.#running.delete(base.origin));
    this.#running.set(base.origin, next);
    return next;
  }
}
