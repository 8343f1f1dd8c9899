import { badRequest, checkLabel1123, checkSubdomain1123 } from "@kintsugi/api";
import type { UserInfo } from "../authorization/authorization.ts";
import type { ApiRequest } from "../http/api-request.ts";
import { anonymousName, authenticatedGroup, unauthenticatedGroup } from "./authenticate.ts";

// A request may name another user on whose behalf it is answered:
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
// The caller needs the right to each of them; then the request continues as that user, who has no
// more and no fewer rights.

/** One thing that the caller has to be allowed to take on. */
interface WantedPart {
  /** Upstream's kind of it, for messages. */
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
 * Each part costs an authorization. No user is in so many groups, but 256 KiB of headers could name
 * them.
 */
const partsMax = 500;

/**
 * Returns the user to impersonate; `undefined` for requests without such headers, which nearly all
 * are.
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
 * Takes the headers of impersonation from the request: nothing behind here can see that it is
 * another's. The request is this call's own, and a copy over it as a prototype would make each of
 * them slow.
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

/** A literal and no spread, which V8 makes slowly: hollow nodes impersonate in every request. */
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
 * Each header is read by itself: joined by commas, two groups could not be distinguished from one
 * with a comma in its name.
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
  // Made from entries, "__proto__" is a key like any other.
  return Object.fromEntries(extra);
}

/** A badly escaped key is taken unchanged, as upstream does. */
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

/** Every user but the anonymous one is authenticated, unless the caller names the other group. */
function completeGroups(name: string, groups: readonly string[]): string[] {
  if (name === anonymousName) {
    return groups.includes(unauthenticatedGroup) ? [...groups] : [...groups, unauthenticatedGroup];
  }
  const isSaid = groups.includes(authenticatedGroup) || groups.includes(unauthenticatedGroup);
  return isSaid ? [...groups] : [...groups, authenticatedGroup];
}

/**
 * Writes a reference like Go prints upstream's: kind, namespace, name, uid, version, resource
 * version and field path.
 */
function goText({ kind, namespace, name, group, subresource }: WantedPart): string {
  const version = group === "" ? "" : `${group}/v1`;
  return `{${[kind, namespace, name, "", version, "", subresource].join(" ")}}`;
}
