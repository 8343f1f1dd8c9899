import { ApiError } from "@kintsugi/api";
import type { AuthorizationAttributes, AuthorizationDecision, Authorizer, UserInfo } from "../machinery-ports.ts";
import type { RequestInfo } from "../request/request-info.ts";

/** Decisions kept per user; a controller asks the same few questions for ever. */
const decisionsMax = 2000;

/** Answers from memory until a role, a binding or the node graph changes. */
export class CachingAuthorizer {
  readonly #authorizer: Authorizer;
  #generation = -1;
  #decisions = new WeakMap<UserInfo, Map<string, AuthorizationDecision>>();

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer;
  }

  decide(user: UserInfo, info: RequestInfo): AuthorizationDecision {
    const generation = this.#authorizer.generation();
    if (generation !== this.#generation) {
      this.#generation = generation;
      this.#decisions = new WeakMap();
    }
    let ofUser = this.#decisions.get(user);
    if (ofUser === undefined || ofUser.size >= decisionsMax) {
      ofUser = new Map();
      this.#decisions.set(user, ofUser);
    }
    const fieldSelector = info.query.get("fieldSelector") ?? "";
    const key = info.isResource
      ? `${info.verb} ${info.group}/${info.resource}/${info.subresource}/${info.namespace}/${info.name} ${fieldSelector}`
      : `${info.verb} ${info.path}`;
    let decision = ofUser.get(key);
    if (decision === undefined) {
      decision = this.#authorizer.authorize(attributesOf(user, info, fieldSelector));
      ofUser.set(key, decision);
    }
    return decision;
  }
}

function attributesOf(user: UserInfo, info: RequestInfo, fieldSelector: string): AuthorizationAttributes {
  const { verb, group, version, resource, subresource, name } = info;
  return {
    user,
    verb,
    group,
    version,
    resource,
    subresource,
    // Upstream: the namespace of a Namespace is itself, so that "namespaced" roles can be about it.
    namespace: info.namespace,
    name,
    path: info.isResource ? "" : info.path,
    fieldSelector,
    labelSelector: info.query.get("labelSelector") ?? "",
  };
}

/** The refusal in upstream's words; it is the same whether or not the object exists. */
export function forbiddenError(user: UserInfo, info: RequestInfo, decision: AuthorizationDecision): ApiError {
  const because = decision.reason === "" ? "" : `: ${decision.reason}`;
  const who = `User ${JSON.stringify(user.name)} cannot`;
  if (!info.isResource) {
    return new ApiError("Forbidden", `forbidden: ${who} ${info.verb} path ${JSON.stringify(info.path)}${because}`, {
      details: {},
    });
  }
  const resource = info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`;
  const qualified = info.group === "" ? resource : `${resource}.${info.group}`;
  const where =
    info.namespace === "" || info.resource === "namespaces"
      ? " at the cluster scope"
      : ` in the namespace ${JSON.stringify(info.namespace)}`;
  const named = info.name === "" ? qualified : `${qualified} ${JSON.stringify(info.name)}`;
  const message = `${named} is forbidden: ${who} ${info.verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(info.group)}${where}${because}`;
  return new ApiError("Forbidden", message, {
    details: {
      ...(info.name === "" ? {} : { name: info.name }),
      ...(info.group === "" ? {} : { group: info.group }),
      kind: info.resource,
    },
  });
}
