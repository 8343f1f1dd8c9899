import { badRequest } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { onAbort } from "@kintsugi/clock";
import type { UserInfo } from "../authorization/authorization.ts";
import type { BackendDialer, BackendTarget } from "../proxy/backend-dialer.ts";
import { locateService } from "../proxy/locate-backend.ts";
import type { ServerContext } from "../server-context.ts";
import type { RemoteService } from "./service-directory.ts";

/** A client certificate and its key, in PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface RemoteCallerDeps {
  readonly context: Pick<ServerContext, "store" | "random">;
  readonly clock: Clock;
  /** Absent where the server cannot reach pods. */
  readonly dialer: BackendDialer | undefined;
  /**
   * The certificate by which other servers authenticate this server; the other servers do not trust
   * its headers without this certificate.
   */
  readonly frontProxy: (() => ClientCertificate) | undefined;
}

/** The whole answer of another server. */
export interface RemoteAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly etag: string;
  readonly body: Buffer;
}

/** The user of the requests that the aggregator sends for itself. */
const aggregator: UserInfo = { name: "system:kube-aggregator", groups: ["system:masters"] };

/** Upstream's limit of a check. */
const checkTimeoutMs = 6_000;

/** OpenAPI documents of large servers have 2 MB; answers up to this size are kept. */
const remoteAnswerBytesMax = 8 * 1024 * 1024;

/**
 * The current server of a remote service: an endpoint of its Service, identified by the Service's
 * name. @throws ApiError ServiceUnavailable
 */
export function targetOf(
  { context, frontProxy }: Pick<RemoteCallerDeps, "context" | "frontProxy">,
  remote: RemoteService,
): BackendTarget {
  const { namespace, name, port } = remote.service;
  const located = locateService(context, { namespace, name: `https:${name}:${port}` });
  return {
    ...located,
    tls: {
      serverName: `${name}.${namespace}.svc`,
      ca: remote.ca,
      insecure: remote.insecure,
      identity: frontProxy?.(),
    },
  };
}

/** The headers that identify the caller of a request to another server (upstream's front proxy). */
export function identityHeaders({ name, uid, groups, extra = {} }: UserInfo): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {
    "x-remote-user": headerText(name),
    "x-remote-group": groups.map(headerText),
  };
  if (uid !== undefined && uid !== "") headers["x-remote-uid"] = headerText(uid);
  for (const [key, values] of Object.entries(extra)) {
    headers[`x-remote-extra-${escapeKey(key)}`] = values.map(headerText);
  }
  return headers;
}

/**
 * Other servers read UTF-8, while Node writes each character as one byte: the name "Ã¼" would
 * arrive there as "ü", which is another user. @throws ApiError for a string that a header cannot
 * hold.
 */
function headerText(text: string): string {
  // A line break would begin a header of the caller's choice.
  if (/\p{Cc}/u.test(text)) throw badRequest("the user's name, groups or extra have control characters");
  return Buffer.from(text, "utf8").toString("latin1");
}

/** Upstream escapes all characters that an HTTP token may not have, and percent signs. */
function escapeKey(key: string): string {
  return key
    .toLowerCase()
    .replaceAll(/[^!#$&'*+\-.^_`|~a-z0-9]/gu, (character) =>
      [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
    );
}

/** Fetches one document from a remote service in the name of the aggregator. @throws Error */
export async function fetchRemote(
  deps: RemoteCallerDeps,
  remote: RemoteService,
  request: { path: string; accept: string; signal: AbortSignal },
): Promise<RemoteAnswer> {
  if (deps.dialer === undefined) throw new Error("this server cannot reach pods");
  const stop = new AbortController();
  const timer = deps.clock.after(checkTimeoutMs, () => stop.abort(new Error("context deadline exceeded")));
  const stopListening = onAbort(request.signal, () => stop.abort(request.signal.reason));
  try {
    const headers = { ...identityHeaders(aggregator), accept: request.accept, "user-agent": "kube-aggregator" };
    const target = targetOf(deps, remote);
    const answer = await deps.dialer.send(
      target,
      { method: "GET", path: request.path, headers, body: undefined },
      stop.signal,
    );
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of answer.body) {
      bytes += chunk.byteLength;
      if (bytes > remoteAnswerBytesMax) {
        stop.abort(new Error(`the answer has more than ${remoteAnswerBytesMax} bytes`));
        stop.signal.throwIfAborted();
      }
      chunks.push(chunk);
    }
    const text = (name: string) => {
      const value = answer.headers[name];
      return typeof value === "string" ? value : "";
    };
    return {
      status: answer.status,
      contentType: text("content-type"),
      etag: text("etag"),
      body: Buffer.concat(chunks),
    };
  } finally {
    timer.cancel();
    stopListening();
  }
}

/** The address of a document as messages show it. */
export function urlOf({ address, port }: BackendTarget, path: string): string {
  const host = address.includes(":") ? `[${address}]` : address;
  return `https://${host}:${port}${path}`;
}
