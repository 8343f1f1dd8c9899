import type { AuthorizationAttributes, AuthorizationDecision } from "./authorization.ts";

/** Decisions kept at most: about 100 identities that each ask for 100 things. Beyond that the oldest goes. */
const decisionsMax = 10_000;

/** Remembers decisions until the policy changes. Components ask for the same few things over and over. */
export class DecisionCache {
  readonly #decisions = new Map<string, AuthorizationDecision>();

  find(attributes: AuthorizationAttributes): AuthorizationDecision | undefined {
    return this.#decisions.get(keyOf(attributes));
  }

  keep(attributes: AuthorizationAttributes, decision: AuthorizationDecision): void {
    const oldest = this.#decisions.size >= decisionsMax ? this.#decisions.keys().next().value : undefined;
    if (oldest !== undefined) {
      this.#decisions.delete(oldest);
    }
    this.#decisions.set(keyOf(attributes), decision);
  }

  clear(): void {
    this.#decisions.clear();
  }
}

/** Everything a rule or a subject can look at, quoted: callers choose the words, and no two requests may share a key. */
function keyOf(attributes: AuthorizationAttributes): string {
  const { user, verb, group, resource, subresource, namespace, name, path } = attributes;
  return JSON.stringify([verb, group, resource, subresource, namespace, name, path, user.name, ...user.groups]);
}
