import { timingSafeEqual } from "node:crypto";

/** The parts of a request on which a page of a game day decides. */
export interface GamePageRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: {
    readonly host?: string | undefined;
    readonly origin?: string | undefined;
    readonly cookie?: string | undefined;
    readonly "sec-fetch-site"?: string | string[] | undefined;
    readonly "content-type"?: string | undefined;
  };
}

export type PageJudgement =
  | { is: "read" | "write"; path: string }
  /** The printed address with the token. The token moves into a cookie. */
  | { is: "enter"; cookie: string }
  | { is: "refuse"; status: number; because: string };

/**
 * Decides on a request to one page. Each page has a port and a token of its own, so that the
 * browser of a team cannot send requests to the facilitator's page, and pages of other sites cannot
 * send requests either.
 */
export function judgePageRequest(
  { method, target, headers }: GamePageRequest,
  { port, token }: { port: number; token: string },
): PageJudgement {
  const { host = "", origin, cookie = "" } = headers;
  if (![`127.0.0.1:${port}`, `localhost:${port}`].includes(host))
    return refuse(421, "the page is only served at its loopback address");
  if (origin !== undefined && origin !== `http://${host}`) return refuse(403, "requests from other pages are rejected");
  const isWrite = method === "POST";
  if (!isWrite && method !== "GET")
    return refuse(405, "this method is not allowed: the page accepts GET, and POST for its forms");
  if (!URL.canParse(target, `http://${host}`)) return refuse(400, "the address is not a URL");
  const { pathname, searchParams } = new URL(target, `http://${host}`);
  const given = searchParams.get("token");
  // The request of a link in a message has another site as its source.
  if (!isWrite && pathname === "/" && given !== null) {
    if (!isSame(given, token))
      return refuse(401, "the token belongs to another page: use the address that was printed");
    return { is: "enter", cookie: `${cookieName(port)}=${token}; HttpOnly; SameSite=Strict; Path=/` };
  }
  const site = headers["sec-fetch-site"] ?? "none";
  if (site !== "none" && site !== "same-origin") return refuse(403, "requests from other pages are rejected");
  const own = `${cookieName(port)}=`;
  const tokens = cookie
    .split(";")
    .flatMap((each) => (each.trim().startsWith(own) ? [each.trim().slice(own.length)] : []));
  if (!tokens.some((each) => isSame(each, token)))
    return refuse(401, "open the address with the token that kintsugi gameday printed");
  if (!isWrite) return { is: "read", path: pathname };
  if (origin === undefined) return refuse(403, "a form needs the origin of the page");
  if (headers["content-type"]?.split(";")[0]?.trim() !== "application/json")
    return refuse(415, "a form must be sent as JSON");
  return { is: "write", path: pathname };
}

function refuse(status: number, because: string): PageJudgement {
  return { is: "refuse", status, because };
}

/** Browsers do not separate cookies by port, so two pages of one machine need two names. */
function cookieName(port: number): string {
  return `kintsugi-gameday-${port}`;
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}
