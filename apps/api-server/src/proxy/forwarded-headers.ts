import { validateHeaderName, validateHeaderValue } from "node:http";
import type { BackendHeaders } from "./backend-dialer.ts";

// The headers that are forwarded to a pod's server and back are the headers of Go's ReverseProxy
// and of upstream's transports around it (apimachinery/pkg/util/proxy), except the headers that
// identified the client to this server.

/** Hop-by-hop headers (RFC 9110, 7.6.1). */
const hopByHop = [
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];
/** `expect` was answered by this server. */
const notForwarded = ["authorization", "expect", "host"];
/**
 * Headers that claim an identity. A pod's server might accept these claims because they come from
 * this server.
 */
const identityPrefixes = ["impersonate-", "x-remote-"];
/** The protocol in which browsers send a token (`base64url.bearer.authorization.k8s.io.…`). */
const tokenProtocol = "base64url.bearer.authorization.k8s.io.";
/** A pod must not open this server's origin to pages of other origins. */
const crossOrigin = [
  "access-control-allow-credentials",
  "access-control-allow-headers",
  "access-control-allow-methods",
  "access-control-allow-origin",
];

type RequestHeaders = Readonly<Record<string, string | undefined>>;

export interface ForwardedFrom {
  /** The path of the proxy on this server: ".../pods/web/proxy". */
  prefix: string;
  /** The path of the request to the backend: "/index.html". */
  path: string;
  remoteAddress: string | undefined;
  /** The protocol to which the connection is upgraded. */
  upgrade?: string | undefined;
}

export function requestHeaders(headers: RequestHeaders, from: ForwardedFrom): Record<string, string> {
  const dropped = new Set([...hopByHop, ...notForwarded, ...namedIn(headers["connection"])]);
  const forwarded: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(":") || dropped.has(name)) continue;
    if (identityPrefixes.some((prefix) => name.startsWith(prefix))) continue;
    forwarded[name] = value;
  }
  const host = headers["host"] ?? headers[":authority"];
  if (host !== undefined) forwarded["host"] = host;
  const { remoteAddress, upgrade } = from;
  const before = headers["x-forwarded-for"];
  if (remoteAddress !== undefined)
    forwarded["x-forwarded-for"] = before === undefined ? remoteAddress : `${before}, ${remoteAddress}`;
  forwarded["x-forwarded-uri"] = `${from.prefix}${from.path}`;
  if (upgrade !== undefined) Object.assign(forwarded, { connection: "Upgrade", upgrade });
  const protocols = withoutToken(forwarded["sec-websocket-protocol"]);
  if (protocols === "") delete forwarded["sec-websocket-protocol"];
  else if (protocols !== undefined) forwarded["sec-websocket-protocol"] = protocols;
  return forwarded;
}

export interface ResponseHeaders {
  headers: Record<string, string>;
  /** The only header that cannot be joined to one line. */
  setCookies: readonly string[];
}

export function responseHeaders(sent: BackendHeaders, upgrade = false): ResponseHeaders {
  const connection = textOf(sent["connection"]);
  const dropped = new Set([...hopByHop, ...crossOrigin, ...namedIn(connection)]);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(sent)) {
    const text = textOf(value);
    if (text === undefined || name === "set-cookie" || dropped.has(name) || !isValid(name, text)) continue;
    headers[name] = text;
  }
  if (upgrade) Object.assign(headers, { connection: "Upgrade", upgrade: textOf(sent["upgrade"]) ?? "" });
  const cookies = sent["set-cookie"] ?? [];
  return {
    headers,
    setCookies: (typeof cookies === "string" ? [cookies] : cookies).filter((each) => isValid("set-cookie", each)),
  };
}

function namedIn(connection: string | undefined): string[] {
  return (connection ?? "").split(",").map((name) => name.trim().toLowerCase());
}

function withoutToken(protocols: string | undefined): string | undefined {
  const kept = protocols?.split(",").filter((protocol) => !protocol.trim().startsWith(tokenProtocol));
  return kept?.join(",").trim();
}

function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" || value === undefined ? value : value.join(", ");
}

/**
 * True for a header that Node can write. A header that Node rejects must not abort this server's
 * answer.
 */
function isValid(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
