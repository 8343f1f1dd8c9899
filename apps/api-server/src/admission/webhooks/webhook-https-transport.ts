import { X509Certificate } from "node:crypto";
import type { ClientRequest } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import { type BlockList, isIP } from "node:net";
import { expectedName } from "@kintsugi/client";
import {
  type WebhookAnswer,
  webhookAnswerBytesMax,
  type WebhookTarget,
  type WebhookTransport,
} from "./webhook-transport.ts";
import { readLimitedAnswer } from "../../http/bodies/read-limited-answer.ts";

interface TransportOptions {
  /**
   * Addresses that an endpoint of a Service may not have, because nodes write the addresses of
   * their pods.
   */
  refused: BlockList;
}

/** Idle connections that are retained for the next call. Each uses a file descriptor. */
const idleSocketsMax = 64;
/**
 * Time for which an idle connection is reused: longer than bursts, and shorter than the time after
 * which servers close their connections.
 */
const idleMs = 4_000;
const headerBytesMax = 64 * 1024;

/**
 * Calls webhooks by HTTPS. The certificate must be signed by the configured authority and name the
 * server. The API server does not present a client certificate and does not follow redirects.
 */
export function createWebhookHttpsTransport({ refused }: TransportOptions): WebhookTransport {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: idleSocketsMax, timeout: idleMs });
  return {
    post: async (target, body, signal) => {
      const { ca } = target;
      if (ca !== undefined) assertCertificates(ca);
      if (target.endpoint !== undefined) assertAllowed(target.endpoint.address, refused);
      const call = () => postOnce(target, { body, signal, agent });
      // The server may have closed a connection at the moment of its reuse.
      return call().catch((error: unknown) => {
        if (error instanceof ClosedWhileIdle) return call();
        throw error;
      });
    },
  };
}

class ClosedWhileIdle extends Error {}

function assertAllowed(address: string, refused: BlockList): void {
  const family = isIP(address);
  if (family === 0 || refused.check(address, family === 4 ? "ipv4" : "ipv6")) throw new Error("address not allowed");
}

function postOnce(
  { url, endpoint, ca }: WebhookTarget,
  { body, signal, agent }: { body: string; signal: AbortSignal; agent: Agent },
): Promise<WebhookAnswer> {
  const { hostname, port, pathname, search, host } = new URL(url);
  // A literal IPv6 address is in brackets in a URL.
  const name = hostname.replace(/^\[(.*)\]$/, "$1");
  return new Promise((resolve, reject) => {
    const outgoing: ClientRequest = httpsRequest({
      host: endpoint?.address ?? name,
      port: endpoint?.port ?? (port === "" ? 443 : Number(port)),
      method: "POST",
      path: pathname + search,
      headers: {
        host,
        "content-type": "application/json",
        accept: "application/json",
        "user-agent": "kube-apiserver-admission",
        "content-length": String(Buffer.byteLength(body)),
      },
      agent,
      signal,
      maxHeaderSize: headerBytesMax,
      rejectUnauthorized: true,
      ...expectedName(name),
      ...(ca === undefined ? {} : { ca }),
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      const isStale = outgoing.reusedSocket && error.code === "ECONNRESET";
      reject(isStale ? new ClosedWhileIdle() : error);
    });
    outgoing.on("response", (response) => {
      readLimitedAnswer(response, webhookAnswerBytesMax).then(
        (text) => resolve({ status: response.statusCode ?? 0, body: text }),
        (error: unknown) => {
          outgoing.destroy();
          reject(error as Error);
        },
      );
    });
    outgoing.end(body);
  });
}

/**
 * Node.js ignores certificates that it cannot parse; an empty bundle would fail with a misleading
 * message.
 */
function assertCertificates(pem: string): void {
  try {
    for (const block of pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [""]) {
      void new X509Certificate(block);
    }
  } catch (error) {
    const why = "unable to load root certificates: unable to parse bytes as PEM block";
    throw new Error(why, { cause: error });
  }
}
