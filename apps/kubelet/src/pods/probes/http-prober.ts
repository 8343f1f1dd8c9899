import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { HTTPGetAction } from "@kintsugi/api";
import { dialError, joinHostPort, userAgent } from "./network-names.ts";
import {
  type AttemptLimits,
  outputBytesMax,
  portNumber,
  type ProbeOutcome,
  type ProberOptions,
  type ProbeTarget,
} from "./prober.ts";

/** Upstream's limit (net/http's own). */
const redirectsMax = 10;

/**
 * One request, in upstream's words (pkg/probe/http). Redirects are followed while they stay on the
 * same host.
 */
export async function attemptHttp(
  action: HTTPGetAction,
  target: ProbeTarget,
  { timeoutMs, signal, purpose = "probe", version }: AttemptLimits & ProberOptions,
): Promise<ProbeOutcome> {
  const port = portNumber(action.port, target.container);
  if (port === undefined) return { kind: "errored", because: `couldn't find port: ${action.port}` };
  const scheme = (action.scheme ?? "HTTP").toLowerCase();
  const path = action.path?.startsWith("/") ? action.path : `/${action.path ?? ""}`;
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  let text = `${scheme}://${joinHostPort(action.host || target.podIp, port)}${path}`;
  try {
    const { hostname } = new URL(text);
    for (let redirects = 0; ; redirects++) {
      const url = new URL(text);
      const answer = await ask(url, headersOf(action, userAgent(purpose, version)), deadline);
      const next = answer.location === undefined ? undefined : new URL(answer.location, url);
      if (next?.hostname !== hostname) return judge(answer);
      if (redirects === redirectsMax) {
        return { kind: "failure", output: `Get "${next.href}": stopped after ${redirectsMax} redirects` };
      }
      text = next.href;
    }
  } catch (error) {
    return { kind: "failure", output: `Get "${text}": ${(error as Error).message}` };
  }
}

interface Answer {
  status: number;
  location: string | undefined;
  body: string;
}

function judge({ status, body }: Answer): ProbeOutcome {
  if (status < 200 || status >= 400)
    return { kind: "failure", output: `HTTP probe failed with statuscode: ${status}`, answered: true };
  if (status < 300) return { kind: "success" };
  return { kind: "warning", output: `Probe terminated redirects, Response body: ${body}` };
}

function headersOf({ httpHeaders = [] }: HTTPGetAction, agent: string): Record<string, string> {
  const headers: Record<string, string> = { "user-agent": agent, accept: "*/*", connection: "close" };
  for (const { name, value } of httpHeaders) headers[name.toLowerCase()] = value;
  return headers;
}

/** @throws Error in Go's words. */
function ask(url: URL, headers: Record<string, string>, deadline: AbortSignal): Promise<Answer> {
  const isTls = url.protocol === "https:";
  const address = `${url.hostname}:${url.port || (isTls ? 443 : 80)}`;
  return new Promise((resolve, reject) => {
    const send = isTls ? httpsRequest : httpRequest;
    // A probe checks that the pod answers, not its identity, so the certificate is not verified, as
    // in upstream's `pkg/probe/http`.
    const request = send(url, { headers, agent: false, signal: deadline, rejectUnauthorized: false }, (response) => {
      const { statusCode: status = 0 } = response;
      const location = [301, 302, 303, 307, 308].includes(status) ? response.headers.location : undefined;
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        if (bytes < outputBytesMax) chunks.push(chunk);
        bytes += chunk.byteLength;
        // A longer answer is truncated without a failure, because the rest need not be read.
        if (bytes >= outputBytesMax) request.destroy();
      });
      response.once("close", () => {
        if (deadline.aborted) return reject(new Error(awaitingBody));
        const body = Buffer.concat(chunks).subarray(0, outputBytesMax).toString("utf8");
        resolve({ status, location, body });
      });
    });
    request.once("error", (error) => {
      reject(new Error(deadline.aborted ? awaitingHeaders : dialError(error, address), { cause: error }));
    });
    request.end();
  });
}

const awaitingHeaders = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
const awaitingBody = "context deadline exceeded (Client.Timeout or context cancellation while reading body)";
