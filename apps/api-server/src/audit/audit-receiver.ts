import { request as httpRequest } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import type { ClusterAccess } from "@kintsugi/client";
import type { AuditReceiver } from "./audit-webhook.ts";

/** Posts under way, and the connections that are kept for the next ones. */
const socketsMax = 16;

/** The server that a kubeconfig names, with the identity that it gives; no redirect is followed. */
export function createAuditReceiver(access: ClusterAccess): AuditReceiver {
  const { server, ca, cert, key, token, serverName } = access;
  const url = new URL(server);
  const isSecure = url.protocol === "https:";
  const tls = {
    ...(serverName !== undefined && { servername: serverName }),
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
          // The answer has no meaning but its status.
          response.resume();
          resolve({ status: response.statusCode ?? 502 });
        });
        outgoing.on("error", reject);
        outgoing.end(body);
      }),
  };
}
