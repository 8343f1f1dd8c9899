import { unauthorized } from "@kintsugi/api";
import type { ApiRequest } from "../http/api-request.ts";
import type { UserInfo } from "../authorization/authorization.ts";

/** The group of all authenticated users. */
export const authenticatedGroup = "system:authenticated";
export const unauthenticatedGroup = "system:unauthenticated";
export const anonymousName = "system:anonymous";

/**
 * A client without a certificate. It is admitted only where upstream's system:public-info-viewer
 * is, unless an AuthenticationConfiguration states otherwise.
 */
const anonymous: UserInfo = { name: anonymousName, groups: [unauthenticatedGroup] };

/**
 * A machine that is about to join reads the last path to get the authority that it should trust;
 * roles let every client read it.
 */
const publicPaths = new Set([
  "/livez",
  "/readyz",
  "/healthz",
  "/version",
  "/api/v1/namespaces/kube-public/configmaps/cluster-info",
]);

/** One object per identity, because decisions are cached by the object. */
const users = new WeakMap<UserInfo, UserInfo>();

/** Authenticates callers by their token; undefined for a token that is not valid. */
export interface TokenAuthenticator {
  authenticate(token: string): UserInfo | undefined;
  /** Decides whether an anonymous request to a path is admitted. Absent: only the public paths. */
  allowsAnonymous?: ((path: string) => boolean) | undefined;
}

/**
 * Returns the caller as the transport authenticated it, or identifies the caller by a token.
 * Headers that claim an identity (X-Remote-*) are never read.
 * @throws ApiError Unauthorized without a known identity, except where anonymous requests are
 * admitted.
 */
export function authenticate(request: ApiRequest, path: string, tokens?: TokenAuthenticator): UserInfo {
  const { identity } = request;
  if (identity === undefined) {
    const token = bearerToken(request.headers["authorization"]);
    const bearer = token === undefined ? undefined : tokens?.authenticate(token);
    if (bearer !== undefined) return bearer;
    const isOpen = tokens?.allowsAnonymous?.(path) ?? publicPaths.has(path);
    if (isOpen && token === undefined) return anonymous;
    throw unauthorized();
  }
  let user = users.get(identity);
  if (user === undefined) {
    user = identity.groups.includes(authenticatedGroup)
      ? identity
      : { ...identity, groups: [...identity.groups, authenticatedGroup] };
    users.set(identity, user);
  }
  return user;
}

function bearerToken(header: string | undefined): string | undefined {
  const [, token] = /^Bearer +(\S+) *$/i.exec(header ?? "") ?? [];
  return token;
}
