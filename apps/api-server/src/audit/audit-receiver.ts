import { request as httpRequest } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import { type ClusterAccess, expectedName } from "@kintsugi/client";
import type { AuditReceiver } from "./audit-webhook.ts";

/** Limit of concurrent posts, and of the connections that are retained for the next posts. */
const socketsMax = 16;

/**
 * Creates the receiver that a kubeconfig names. Calls have the kubeconfig's identity and do not
 * follow redirects.
 */
export function createAuditReceiver(access: ClusterAccess): AuditReceiver {
  const { server, ca, cert, key, token, serverName } = access;
  const url = new URL(server);
  const isSecure = url.protocol === "https:";
  const tls = {
    ...expectedName(serverName),
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
  const agent = isSecure
    ? new Agent({ keepAlive: true, maxSockets: socketsMax, minVersion: "TLSv1.2", ...tls })
    : undefined;
  return {
    post: (body, signal) =>
      new Promise((resolve, reject) => {
        const headers = {
          "content-type": "application/json",
          "content-length": String(Buffer.byteLength(body)),
          "user-agent": "kintsugi-api-server",
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        };
        const options = { method: "POST", headers, signal };
        const outgoing = isSecure ? httpsRequest(url, { ...options, agent }) : httpRequest(url, options);
        outgoing.on("response", (response) => {
          // Only the status of the answer matters.
          response.resume();
          resolve({ status: response.statusCode ?? 502 });
        });
        outgoing.on("error", reject);
        outgoing.end(body);
      }),
  };
}
