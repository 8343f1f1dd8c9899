import { posix } from "node:path";

// A server behind a proxy does not have the path of the proxy, so its links and redirects are
// rewritten to lead through the proxy, as in upstream's Transport.rewriteURL. For pods/web/proxy,
// whose server is at 10.64.1.5:80:
//
//   /login?next=%2F           →  /api/v1/namespaces/default/pods/web/proxy/login?next=%2F
//   http://10.64.1.5/login    →  the same: it is the server's own address
//   login, #top, //cdn/x.js, https://example.org/  stay

export interface ProxiedPage {
  /** The path of the proxy on this server, without a slash at its end. */
  prefix: string;
  /** The server's address as it appears in URLs: "10.64.1.5:80". */
  backendHost: string;
  /** The Host header of the client, which was also sent to the server. */
  requestHost: string;
}

/** scheme:, //authority, path, ?query#fragment (RFC 3986, appendix B). */
const parts = /^([a-z][a-z0-9+.-]*:)?(\/\/[^/?#]*)?([^?#]*)(.*)$/is;

export function rewriteUrl(url: string, { prefix, backendHost, requestHost }: ProxiedPage): string {
  const [, scheme = "", authority = "", path = "", rest = ""] = parts.exec(url) ?? [];
  const host = authority.slice(2);
  const isOther = host !== "" && host !== backendHost && host !== requestHost;
  if (isOther || !path.startsWith("/")) return url;
  // The client's own name for this server remains before the path.
  const origin = host === requestHost && host !== "" ? `${scheme}${authority}` : "";
  if (path === prefix || path.startsWith(`${prefix}/`)) return `${origin}${path}${rest}`;
  return `${origin}${prefix}${cleaned(path)}${rest}`;
}

/** Dot segments would escape the prefix. */
function cleaned(path: string): string {
  return posix.normalize(path);
}
