import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { BlockList, isIP, type Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  checkServerIdentity,
  type ConnectionOptions,
  createSecureContext,
  type PeerCertificate,
  type SecureContext,
} from "node:tls";
import { ApiError, tooManyRequests } from "@kintsugi/api";
import { dialUpgrade } from "@kintsugi/streaming";
import type {
  KubeletDialer,
  KubeletRequest,
  KubeletResponse,
  KubeletTarget,
  KubeletUpgrade,
  KubeletUpgradeRequest,
} from "./kubelet-dialer.ts";

interface Credentials {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

export interface KubeletDialerOptions {
  /**
   * The server's client certificate for kubelets and the authority of their certificates, read for
   * each connection.
   */
  credentials(): Credentials;
  /** Addresses of this server itself, which no node may claim. */
  ownAddresses: readonly string[];
  /** Addresses that are not dialed; default `refusedAddresses(ownAddresses)`. */
  refused?: BlockList;
  /**
   * Limit of concurrent connections to kubelets. Each connection uses a file descriptor, and the
   * store needs file descriptors too. Unlimited by default.
   */
  dialsMax?: number;
}

/** Time after which a kubelet that has not begun to answer is considered unreachable. */
const answerTimeoutMs = 30_000;

/**
 * Connects to kubelets over mutual TLS, only by the address in the Node's status. Names are not
 * resolved, redirects are not followed, and addresses that would not reach a kubelet (loopback,
 * link-local, this server) are rejected.
 */
export function createKubeletTlsDialer(options: KubeletDialerOptions): KubeletDialer {
  const refused = options.refused ?? refusedAddresses(options.ownAddresses);
  const dials = new Dials(options.dialsMax ?? Infinity);
  const contextOf = lastContext();
  const optionsFor = (target: KubeletTarget) => requestOptions(target, contextOf(options.credentials()));
  return {
    get: async (target, path, signal) => {
      assertDialable(target, refused);
      const asked = { method: "GET", path, headers: {}, body: undefined };
      return open(optionsFor(target), { target, asked, signal, dials });
    },
    send: async (target, asked, signal) => {
      assertDialable(target, refused);
      return open(optionsFor(target), { target, asked, signal, dials });
    },
    upgrade: async (target, asked, signal) => {
      assertDialable(target, refused);
      return openUpgrade(optionsFor(target), { target, asked, signal, dials });
    },
  };
}

/** Counts connections from the start of dialing until they are closed. */
class Dials {
  readonly #max: number;
  #open = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** @throws ApiError when the limit of connections is reached. */
  dial(make: () => ClientRequest): ClientRequest {
    if (this.#open >= this.#max) throw tooManyRequests("Too many connections to kubelets, please try again later.");
    this.#open++;
    const over = () => this.#open--;
    const request = make().once("close", over);
    // An upgraded connection outlives its request.
    request.once("upgrade", (_response, socket: Socket) => {
      request.off("close", over);
      socket.once("close", over);
    });
    return request;
  }
}

/** Ranges without kubelets, in which other services of this machine or of a cloud answer. */
export function refusedAddresses(ownAddresses: readonly string[]): BlockList {
  const list = new BlockList();
  list.addSubnet("127.0.0.0", 8);
  list.addSubnet("0.0.0.0", 8);
  list.addSubnet("169.254.0.0", 16);
  list.addSubnet("224.0.0.0", 4);
  list.addSubnet("240.0.0.0", 4);
  list.addAddress("::1", "ipv6");
  list.addAddress("::", "ipv6");
  list.addSubnet("fe80::", 10, "ipv6");
  list.addSubnet("ff00::", 8, "ipv6");
  // IPv4-mapped IPv6 addresses do not need a rule, because BlockList matches ::ffff:a.b.c.d with
  // the rules of a.b.c.d. (The reverse is also true, so a rule for ::ffff:0:0/96 would reject every
  // IPv4 address.)
  for (const address of ownAddresses) {
    const family = isIP(address);
    if (family !== 0) list.addAddress(address, family === 4 ? "ipv4" : "ipv6");
  }
  return list;
}

/** @throws ApiError */
export function assertDialable(target: KubeletTarget, refused: BlockList): void {
  const { address, port, nodeName } = target;
  const family = isIP(address);
  const allowed = family !== 0 && !refused.check(address, family === 4 ? "ipv4" : "ipv6");
  if (!allowed || !Number.isInteger(port) || port < 1 || port > 65535) {
    throw new ApiError(
      "BadRequest",
      `the address of node ${nodeName} (${address}:${port}) is not allowed for a kubelet`,
    );
  }
}

type Dialled = RequestOptions & Pick<ConnectionOptions, "secureContext">;

interface Dialling {
  target: KubeletTarget;
  signal: AbortSignal;
  dials: Dials;
}

function open(dialled: Dialled, call: Dialling & { asked: KubeletRequest }): Promise<KubeletResponse> {
  const { target, asked, signal, dials } = call;
  const { method, path, headers, body } = asked;
  return new Promise((resolve, reject) => {
    const request = dials.dial(() =>
      httpsRequest({ ...dialled, path, method, headers, signal, timeout: answerTimeoutMs }),
    );
    request.on("response", (response) => {
      // A followed log may be silent for as long as its container is silent.
      request.setTimeout(0);
      resolve(toResponse(response));
    });
    request.on("timeout", () => request.destroy(new Error(`no answer within ${answerTimeoutMs / 1000} s`)));
    request.on("error", (error) => reject(unreachableBackend(target, path, error)));
    if (body === undefined || body instanceof Uint8Array) request.end(body);
    // A body that ends early, or a kubelet that does not accept a body, ends the request, which
    // reports the error.
    else pipeline(Readable.from(body, { objectMode: false }), request).catch(() => {});
  });
}

async function openUpgrade(
  dialled: Dialled,
  call: Dialling & { asked: KubeletUpgradeRequest },
): Promise<KubeletUpgrade> {
  const { target, asked, signal, dials } = call;
  const { method, path, headers } = asked;
  const request = dials.dial(() => httpsRequest({ ...dialled, path, method, headers }));
  try {
    const answer = await dialUpgrade(request, { signal, timeoutMs: answerTimeoutMs });
    if (!answer.upgraded) return { upgraded: false, response: toResponse(answer.response) };
    const { socket, head } = answer;
    return { upgraded: true, headers: upgradeHeaders(answer.headers), tunnel: { socket, head } };
  } catch (error) {
    throw unreachableBackend(target, path, error as Error);
  }
}

/**
 * Parses credentials once for all connections that use them. The key and the certificates take 10
 * ms of processor time, and each stream and each request is a connection.
 */
export function lastContext(): (credentials: Credentials) => SecureContext {
  let last: { of: Credentials; context: SecureContext } | undefined;
  return (of) => {
    const isLast = last?.of.cert === of.cert && last.of.key === of.key && last.of.ca === of.ca;
    if (last === undefined || !isLast) {
      const { cert, key, ca } = of;
      last = { of, context: createSecureContext({ cert, key, ca, minVersion: "TLSv1.2" }) };
    }
    return last.context;
  };
}

function requestOptions(target: KubeletTarget, secureContext: SecureContext): Dialled {
  return {
    host: target.address,
    port: target.port,
    secureContext,
    agent: false,
    // The certificate must be the node's, by its name or by the dialed address.
    checkServerIdentity: (_host, certificate) => checkKubeletIdentity(target, certificate),
  };
}

/** The kubelet's headers about the upgraded protocol, which are forwarded to the client. */
function upgradeHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const names = ["upgrade", "x-stream-protocol-version", "sec-websocket-accept", "sec-websocket-protocol"];
  const kept: Record<string, string> = { connection: "Upgrade" };
  for (const name of names) {
    const value = headers[name];
    if (typeof value === "string") kept[name] = value;
  }
  return kept;
}

function checkKubeletIdentity(target: KubeletTarget, certificate: PeerCertificate): Error | undefined {
  if (certificate.subject.CN === `system:node:${target.nodeName}`) return undefined;
  const byName = checkServerIdentity(target.nodeName, certificate);
  return byName === undefined ? undefined : checkServerIdentity(target.address, certificate);
}

function toResponse(response: IncomingMessage): KubeletResponse {
  const status = response.statusCode ?? 502;
  return {
    // A redirect would send this server's certificate to another server.
    status: status >= 300 && status < 400 ? 502 : status,
    contentType: response.headers["content-type"] ?? "text/plain",
    body: response,
  };
}

/** Upstream's words for an unreachable kubelet. */
function unreachableBackend(target: KubeletTarget, path: string, cause: Error): ApiError {
  const place = target.address.includes(":") ? `[${target.address}]` : target.address;
  return new ApiError("InternalError", `Get "https://${place}:${target.port}${path.split("?")[0]}": ${cause.message}`, {
    cause,
  });
}
