import { badRequest, checkLabel1123, checkSubdomain1123 } from "@kintsugi/api";
import type { UserInfo } from "../authorization/authorization.ts";
import type { ApiRequest } from "../http/api-request.ts";
import { anonymousName, authenticatedGroup, unauthenticatedGroup } from "./authenticate.ts";

// A request may name another user, and is then answered with that user's rights:
//
//   Impersonate-User: system:serviceaccount:shop:till   verb impersonate on serviceaccounts "till"
//                                                       in namespace "shop"
//   Impersonate-User: alice                             … on users "alice"
//   Impersonate-Group: developers       (any number)    … on groups "developers"
//   Impersonate-Extra-Scopes: view      (any number)    … on userextras/scopes "view"
//                                                       of authentication.k8s.io
//   Impersonate-Uid: 06f6ce97                           … on uids "06f6ce97"
//                                                       of authentication.k8s.io
//
// The caller needs the right to each of them. Then the request continues as that user, with exactly
// that user's rights.

/** One part of the identity that the caller needs permission to impersonate. */
interface WantedPart {
  /** Upstream's name of its kind, for messages. */
  kind: "ServiceAccount" | "User" | "Group" | "UserExtra" | "UID";
  group: string;
  resource: string;
  subresource: string;
  namespace: string;
  name: string;
}

export interface WantedUser {
  user: UserInfo;
  parts: readonly WantedPart[];
}

const headerPrefix = "impersonate-";
const extraPrefix = `${headerPrefix}extra-`;

/**
 * Limit of the parts, because each costs an authorization. Real users are in far fewer groups, but
 * 256 KiB of headers could name more.
 */
const partsMax = 500;

/**
 * Returns the user to impersonate; `undefined` for requests without such headers, which are the
 * majority.
 * @throws ApiError BadRequest
 */
export function wantedUser(request: ApiRequest): WantedUser | undefined {
  if (!asksForAnother(request.headers)) return undefined;
  const values = impersonationHeaders(request);
  const name = values.get(`${headerPrefix}user`)?.[0] ?? "";
  const groups = values.get(`${headerPrefix}group`) ?? [];
  const uid = values.get(`${headerPrefix}uid`)?.[0] ?? "";
  const extra = extraOf(values);
  const account = serviceAccountOf(name);
  const parts: WantedPart[] = [
    ...(name === "" ? [] : [account ?? partOf("User", name)]),
    ...groups.map((group) => partOf("Group", group)),
    ...Object.entries(extra).flatMap(([key, texts]) =>
      texts.map((text) => partOf("UserExtra", text, { group: authenticationGroup, subresource: key })),
    ),
    ...(uid === "" ? [] : [partOf("UID", uid, { group: authenticationGroup })]),
  ];
  if (parts.length > partsMax) throw badRequest(`a request may impersonate at most ${partsMax} groups and extras`);
  if (name === "") {
    if (parts.length === 0) return undefined;
    throw badRequest(`requested [${parts.map(goText).join(" ")}] without impersonating a user`);
  }
  const accountGroups = account === undefined ? [] : accountGroupsOf(account.namespace);
  return {
    parts,
    user: {
      name,
      groups: completeGroups(name, groups.length > 0 ? groups : accountGroups),
      ...(uid === "" ? {} : { uid }),
      ...(Object.keys(extra).length === 0 ? {} : { extra }),
    },
  };
}

/**
 * Removes the impersonation headers from the request, so that later handlers cannot see that the
 * caller is another user. The request object belongs to this call. A copy with the request as its
 * prototype would make each access slow.
 */
export function stripImpersonation(request: ApiRequest): void {
  const kept: Record<string, string | undefined> = {};
  for (const header in request.headers) if (!header.startsWith(headerPrefix)) kept[header] = request.headers[header];
  request.headers = kept;
  request.rawHeaders = undefined;
}

const authenticationGroup = "authentication.k8s.io";

const resources: Readonly<Record<WantedPart["kind"], string>> = {
  ServiceAccount: "serviceaccounts",
  User: "users",
  Group: "groups",
  UserExtra: "userextras",
  UID: "uids",
};

/**
 * A literal instead of a spread, which V8 makes slowly, because hollow nodes impersonate in every
 * request.
 */
function partOf(
  kind: WantedPart["kind"],
  name: string,
  { group = "", subresource = "", namespace = "" } = {},
): WantedPart {
  return { kind, group, resource: resources[kind], subresource, namespace, name };
}

function asksForAnother(headers: ApiRequest["headers"]): boolean {
  for (const name in headers) if (name.startsWith(headerPrefix)) return true;
  return false;
}

/**
 * Each header is parsed by itself. If they were joined by commas, two groups could not be
 * distinguished from a group with a comma in its name.
 */
function impersonationHeaders({ headers, rawHeaders }: ApiRequest): ReadonlyMap<string, string[]> {
  const values = new Map<string, string[]>();
  const add = (name: string, value: string): void => {
    if (!name.startsWith(headerPrefix)) return;
    const known = values.get(name);
    if (known === undefined) values.set(name, [utf8(value)]);
    else known.push(utf8(value));
  };
  if (rawHeaders === undefined) {
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) add(name, value);
  } else {
    for (let i = 0; i + 1 < rawHeaders.length; i += 2)
      add((rawHeaders[i] ?? "").toLowerCase(), rawHeaders[i + 1] ?? "");
  }
  return values;
}

/** Node reads a header's bytes as Latin-1, clients write names in UTF-8. */
function utf8(value: string): string {
  return Buffer.from(value, "latin1").toString("utf8");
}

function extraOf(values: ReadonlyMap<string, string[]>): Record<string, string[]> {
  const extra = new Map<string, string[]>();
  for (const [name, texts] of values) {
    if (!name.startsWith(extraPrefix)) continue;
    const key = unescaped(name.slice(extraPrefix.length));
    extra.set(key, [...(extra.get(key) ?? []), ...texts]);
  }
  // Made from entries, so that "__proto__" is an ordinary key.
  return Object.fromEntries(extra);
}

/** An invalid escape in a key leaves the key unchanged (upstream's unescapeExtraKey). */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

const accountPrefix = "system:serviceaccount:";

function serviceAccountOf(user: string): WantedPart | undefined {
  if (!user.startsWith(accountPrefix)) return undefined;
  const [namespace = "", name = "", ...rest] = user.slice(accountPrefix.length).split(":");
  if (rest.length > 0 || checkLabel1123(namespace).length > 0 || checkSubdomain1123(name).length > 0) return undefined;
  return partOf("ServiceAccount", name, { namespace });
}

function accountGroupsOf(namespace: string): string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}

/**
 * Every user except the anonymous user is authenticated, unless the caller names the group of
 * unauthenticated users.
 */
function completeGroups(name: string, groups: readonly string[]): string[] {
  if (name === anonymousName) {
    return groups.includes(unauthenticatedGroup) ? [...groups] : [...groups, unauthenticatedGroup];
  }
  const isSaid = groups.includes(authenticatedGroup) || groups.includes(unauthenticatedGroup);
  return isSaid ? [...groups] : [...groups, authenticatedGroup];
}

/**
 * Writes a reference as Go prints upstream's type: kind, namespace, name, uid, version, resource
 * version and field path.
 */
function goText({ kind, namespace, name, group, subresource }: WantedPart): string {
  const version = group === "" ? "" : `${group}/v1`;
  return `{${[kind, namespace, name, "", version, "", subresource].join(" ")}}`;
}
