import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, Subject } from "@kintsugi/api";
import type { UserInfo } from "../authorization.ts";
import { describeSubject, identitiesOf, type Identity, identityOf } from "./subject.ts";

/** A role, and the binding by which a user has it. */
export interface GrantedRole {
  readonly rules: readonly PolicyRule[];
  /** `ClusterRoleBinding "b" of ClusterRole "r" to User "u"`. */
  readonly grantedBy: string;
  /** Set when the binding names a role that does not exist. The grant then has no rules. */
  readonly missing?: string;
}

interface Grant {
  readonly subject: Subject;
  readonly binding: RoleBinding;
  /** "" for a ClusterRoleBinding. */
  readonly namespace: string;
}

/** The kinds of role-based access control, distinguished by their resource. */
export type PolicyObject =
  | { resource: "roles"; object: Role }
  | { resource: "clusterroles"; object: ClusterRole }
  | { resource: "rolebindings"; object: RoleBinding }
  | { resource: "clusterrolebindings"; object: ClusterRoleBinding };

/**
 * The roles and bindings of the cluster, indexed so that the roles of one user are found without
 * inspecting all bindings:
 *
 *     namespace ("" for the cluster) → identity → binding name → grant
 */
export class RolePolicy {
  readonly #rules = new Map<string, readonly PolicyRule[]>();
  readonly #bindings = new Map<string, RoleBinding>();
  readonly #grants = new Map<string, Map<Identity, Map<string, Grant>>>();

  put(changed: PolicyObject): void {
    const { namespace = "", name = "" } = changed.object.metadata;
    switch (changed.resource) {
      case "roles":
      case "clusterroles":
        this.#rules.set(placeOf(namespace, name), changed.object.rules ?? []);
        return;
      case "rolebindings":
      case "clusterrolebindings":
        this.#forget(namespace, name);
        this.#bind(namespace, name, changed.object);
    }
  }

  remove(resource: PolicyObject["resource"], key: { namespace: string; name: string }): void {
    if (resource === "roles" || resource === "clusterroles") {
      this.#rules.delete(placeOf(key.namespace, key.name));
    } else {
      this.#forget(key.namespace, key.name);
    }
  }

  /**
   * The user's roles in a namespace: first those granted for the whole cluster, then those granted
   * in the namespace.
   */
  *rolesOf(user: UserInfo, namespace: string): Generator<GrantedRole> {
    const identities = identitiesOf(user);
    for (const place of namespace === "" ? [""] : ["", namespace]) {
      const grants = this.#grants.get(place);
      for (const identity of grants === undefined ? [] : identities) {
        for (const grant of grants?.get(identity)?.values() ?? []) {
          yield this.#resolve(grant);
        }
      }
    }
  }

  #bind(namespace: string, name: string, binding: RoleBinding): void {
    this.#bindings.set(placeOf(namespace, name), binding);
    const byIdentity = getOrCreate(this.#grants, namespace, () => new Map<Identity, Map<string, Grant>>());
    for (const subject of binding.subjects ?? []) {
      const identity = identityOf(subject, namespace);
      if (identity !== undefined) {
        const byName = getOrCreate(byIdentity, identity, () => new Map<string, Grant>());
        byName.set(name, byName.get(name) ?? { subject, binding, namespace });
      }
    }
  }

  #forget(namespace: string, name: string): void {
    const binding = this.#bindings.get(placeOf(namespace, name));
    const byIdentity = this.#grants.get(namespace);
    for (const subject of binding?.subjects ?? []) {
      const identity = identityOf(subject, namespace) ?? "";
      const byName = byIdentity?.get(identity);
      byName?.delete(name);
      if (byName?.size === 0) {
        byIdentity?.delete(identity);
      }
    }
    if (byIdentity?.size === 0) {
      this.#grants.delete(namespace);
    }
    this.#bindings.delete(placeOf(namespace, name));
  }

  #resolve({ subject, binding, namespace }: Grant): GrantedRole {
    const { roleRef, metadata } = binding;
    const bindingName = metadata.name ?? "";
    const described =
      namespace === ""
        ? `ClusterRoleBinding ${JSON.stringify(bindingName)}`
        : `RoleBinding ${JSON.stringify(`${bindingName}/${namespace}`)}`;
    const grantedBy = `${described} of ${roleRef.kind} ${JSON.stringify(roleRef.name)} to ${describeSubject(subject, namespace)}`;
    // A ClusterRoleBinding cannot name a Role. If such a binding is stored, it does not grant
    // rights.
    const isClusterRole = roleRef.kind === "ClusterRole";
    const rules =
      isClusterRole || namespace !== ""
        ? this.#rules.get(placeOf(isClusterRole ? "" : namespace, roleRef.name))
        : undefined;
    if (rules === undefined) {
      const missing = `${roleRef.kind.toLowerCase()}.rbac.authorization.k8s.io ${JSON.stringify(roleRef.name)} not found`;
      return { rules: [], grantedBy, missing };
    }
    return { rules, grantedBy };
  }
}

function placeOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

function getOrCreate<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const existing = map.get(key);
  if (existing !== undefined) {
    return existing;
  }
  const created = create();
  map.set(key, created);
  return created;
}
