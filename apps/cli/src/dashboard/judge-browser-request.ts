import { timingSafeEqual } from "node:crypto";

/** The parts of a browser's request that the local proxy checks. */
export interface BrowserRequest {
  readonly method: string;
  /** The path with its query, as on the request line. */
  readonly target: string;
  readonly headers: {
    readonly host?: string | undefined;
    readonly origin?: string | undefined;
    readonly cookie?: string | undefined;
    readonly "sec-fetch-site"?: string | string[] | undefined;
    readonly "content-type"?: string | undefined;
    readonly upgrade?: string | undefined;
  };
}

export type Judgement =
  | { is: "forward" }
  /** The state of the lab, or a change of it. */
  | { is: "lab status" }
  | { is: "lab action" }
  /** The page requests how commands connect to its cluster. */
  | { is: "way" }
  /**
   * The page requests this to find out whether its server has terminals, which an API server alone
   * does not have.
   */
  | { is: "terminal offer" }
  /** The address with the token, as the command prints it. The token is moved into a cookie. */
  | { is: "enter"; cookie: string }
  | { is: "refuse"; status: number; because: string };

export interface BrowserAccess {
  readonly port: number;
  /** The secret of this run. */
  readonly token: string;
}

/**
 * Decides on a request to the local proxy, which answers with the credentials of a kubeconfig. Each
 * page in the browser and each user of this machine can connect to it. A request must therefore
 * name the proxy by a loopback address (a name that an attacker's DNS resolves to loopback is not
 * such an address), must not come from another page, and must carry the token of this run.
 */
export function judgeBrowserRequest(
  { method, target, headers }: BrowserRequest,
  { port, token }: BrowserAccess,
): Judgement {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const { host = "", origin, cookie = "" } = headers;
  if (!hosts.includes(host)) return refuse(421, "the proxy is only served at its loopback address");
  if (origin !== undefined && origin !== `http://${host}`) return refuse(403, "requests from other pages are rejected");
  const site = headers["sec-fetch-site"] ?? "none";
  if (site !== "none" && site !== "same-origin") return refuse(403, "requests from other pages are rejected");
  const isLabAction = method === "POST" && target === labActionPath;
  if (method !== "GET" && method !== "HEAD" && !isLabAction) return refuse(405, "the page is read-only");
  // Every program on this machine can send a request line that cannot be parsed as a URL, such as
  // "//".
  if (!URL.canParse(target, `http://${host}`)) return refuse(400, "the address is not a URL");
  const { pathname, searchParams } = new URL(target, `http://${host}`);
  const given = searchParams.get("token");
  if (pathname === "/" && given !== null) {
    if (!isSame(given, token)) return refuse(401, "the token belongs to another run: use the address that was printed");
    return { is: "enter", cookie: `${cookieName(port)}=${token}; HttpOnly; SameSite=Strict; Path=/` };
  }
  if (!cookiesOf(cookie, cookieName(port)).some((each) => isSame(each, token)))
    return refuse(401, "open the address with the token that kintsugi dashboard printed");
  if (isLabAction) return judgeLabAction(headers);
  if (target === "/lab/status") return { is: "lab status" };
  if (target === "/lab/way") return { is: "way" };
  if (target === "/terminal/offer") return { is: "terminal offer" };
  return isServed(target) ? { is: "forward" } : refuse(404, "the proxy serves the page and the API only");
}

const labActionPath = "/lab/actions";

/** The subprotocol of terminals, in which the end of a command is a separate message. */
const terminalProtocol = "v5.channel.k8s.io";

export type UpgradeJudgement = { is: "terminal" } | (Judgement & { is: "refuse" });

/**
 * Decides on an upgrade of a connection to another protocol. The same-origin policy of browsers
 * does not apply to WebSockets, so the page's own origin is required here: pages of other origins
 * cannot omit or change the origin. Only upgrades for commands in containers are allowed.
 */
export function judgeBrowserUpgrade(
  request: BrowserRequest & { readonly headers: { readonly "sec-websocket-protocol"?: string | undefined } },
  access: BrowserAccess,
): UpgradeJudgement {
  const judged = judgeBrowserRequest(request, access);
  if (judged.is === "refuse") return judged;
  const { method, target, headers } = request;
  if (headers.origin === undefined) return refuse(403, "a terminal needs the origin of the page");
  const [path = "", query = ""] = target.split("?");
  const isExec = /^\/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+\/exec$/.test(path);
  if (judged.is !== "forward" || method !== "GET" || !isExec || query === "")
    return refuse(404, "only commands in containers can upgrade the connection");
  if (headers.upgrade?.toLowerCase() !== "websocket") return refuse(400, "a terminal must be a WebSocket");
  if (headers["sec-websocket-protocol"] !== terminalProtocol)
    return refuse(400, `a terminal must use ${terminalProtocol}`);
  return { is: "terminal" };
}

/**
 * A change requires more than a read: the page's own origin, which a browser sends with each POST,
 * and a content type that a form of another page cannot have.
 */
function judgeLabAction({ origin, "content-type": contentType = "" }: BrowserRequest["headers"]): Judgement {
  if (origin === undefined) return refuse(403, "a change needs the origin of the page");
  if (contentType.split(";")[0]?.trim() !== "application/json") return refuse(415, "a change must be sent as JSON");
  return { is: "lab action" };
}

function refuse(status: number, because: string): Judgement & { is: "refuse" } {
  return { is: "refuse", status, because };
}

/** Cookies ignore ports, so two proxies of one machine need two names. */
function cookieName(port: number): string {
  return `kintsugi-dashboard-${port}`;
}

function cookiesOf(header: string, name: string): string[] {
  return header
    .split(";")
    .map((each) => each.trim())
    .filter((each) => each.startsWith(`${name}=`))
    .map((each) => each.slice(name.length + 1));
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/**
 * The page and the API. The content that pods serve behind `proxy` is excluded: a pod's page would
 * have the same origin as the API, and could use it with the user's rights.
 */
function isServed(target: string): boolean {
  const [path = ""] = target.split("?");
  if (!/^\/(dashboard|api|apis)(\/|$)/.test(path)) return false;
  try {
    return !path.split("/").some((segment) => decodeURIComponent(segment).toLowerCase() === "proxy");
  } catch {
    return false;
  }
}
