/** A request that costs its sender little and a careless server much. */
export interface HostileRequest {
  readonly name: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly contentType?: string;
  /**
   * The body is made when it is sent, because all bodies together would be several hundred
   * megabytes.
   */
  readonly body?: () => string | Uint8Array;
  /** A caller without any rights, unless the request needs rights to have an effect. */
  readonly as?: "admin";
  /**
   * A request that an administrator sends once before the hostile request, to create its object.
   */
  readonly needs?: HostileRequest;
}

/** Just below the limit of a request's body. */
export const bodyBytes = 3 * 1024 * 1024 - 1024;

/** Joins `count` parts. */
export function many(count: number, part: (index: number) => string, separator = ","): string {
  return Array.from({ length: count }, (_, index) => part(index)).join(separator);
}

/** `text` as often as it fits into a body. */
export function filled(text: string, bytes: number = bodyBytes): string {
  return text.repeat(Math.floor(bytes / text.length));
}

/** Every authenticated user may post these. */
export const ownAccess = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
export const configMaps = "/api/v1/namespaces/default/configmaps";
export const pods = "/api/v1/namespaces/default/pods";
