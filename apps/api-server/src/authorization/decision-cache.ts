import { LruMap } from "@kintsugi/clock";
import type { AuthorizationAttributes, AuthorizationDecision } from "./authorization.ts";

/**
 * The most decisions that are cached: about 100 identities with 100 requests each. The least
 * recently used decision is evicted.
 */
const decisionsMax = 10_000;

/**
 * A path or a name and a dozen groups fit. Without the limit, a client that reviews its own access
 * could fill the memory with long names.
 */
const keyLengthMax = 2048;

/**
 * Caches decisions until the policy changes. Components repeat the same few requests over and over.
 */
export class DecisionCache {
  readonly #decisions = new LruMap<string, AuthorizationDecision>(decisionsMax);

  find(attributes: AuthorizationAttributes): AuthorizationDecision | undefined {
    return isShort(attributes) ? this.#decisions.get(keyOf(attributes)) : undefined;
  }

  keep(attributes: AuthorizationAttributes, decision: AuthorizationDecision): void {
    if (!isShort(attributes)) return;
    this.#decisions.set(keyOf(attributes), decision);
  }

  clear(): void {
    this.#decisions.clear();
  }
}

function isShort({
  user,
  verb,
  group,
  resource,
  subresource,
  namespace,
  name,
  path,
}: AuthorizationAttributes): boolean {
  let length = user.name.length + verb.length + group.length + resource.length + subresource.length;
  length += namespace.length + name.length + path.length;
  for (const member of user.groups) length += member.length + 3;
  return length <= keyLengthMax;
}

/**
 * Every value that a rule or a subject can compare, quoted, because callers choose these values and
 * two different requests must not share a key.
 */
function keyOf(attributes: AuthorizationAttributes): string {
  const { user, verb, group, resource, subresource, namespace, name, path } = attributes;
  return JSON.stringify([verb, group, resource, subresource, namespace, name, path, user.name, ...user.groups]);
}
