import type { JsonObject } from "@kintsugi/api";
import type { CommittedChange, Store } from "@kintsugi/store";
import type { RulesOfUser } from "./rbac/rules-of-user.ts";

export interface UserInfo {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/**
 * The action for which a request needs permission. A non-resource request (`path` set) has "" in
 * all resource fields.
 */
export interface AuthorizationAttributes {
  readonly user: UserInfo;
  /**
   * "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", or for paths
   * the method in lower case.
   */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The path of a non-resource request: "/healthz". */
  readonly path: string;
  /**
   * The selector as sent. The node authorizer uses it to allow lists and watches of single objects
   * and of the node's own pods.
   */
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

/** `reason` as upstream writes it into a SubjectAccessReview's status; "" when there is none. */
export type AuthorizationDecision = { allowed: boolean; reason: string };

export interface Authorizer {
  /**
   * The node authorizer, then RBAC. Members of system:masters may do everything. Synchronous,
   * because roles and graph are in memory.
   */
  authorize(attributes: AuthorizationAttributes): AuthorizationDecision;
  /** Changes whenever a decision may change. Cached decisions of an older generation are void. */
  generation(): number;
  rulesFor(user: UserInfo, namespace: string): RulesOfUser;
  /** Called in revision order with every committed batch, before its writers are answered. */
  observe(changes: readonly CommittedChange[]): void;
}

/** Reads the store's policy at the start; afterwards `observe` receives the changes. */
export type CreateAuthorizer = (deps: { store: Pick<Store, "list" | "find"> }) => Authorizer;

/**
 * Upstream's bootstrap ClusterRoles, ClusterRoleBindings, Roles and RoleBindings, with apiVersion
 * and kind.
 */
export type BootstrapPolicy = () => readonly JsonObject[];
