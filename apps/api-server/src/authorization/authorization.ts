import type { CommittedChange, Store } from "@kintsugi/store";
import type { JsonObject } from "../json.ts";

export interface UserInfo {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/**
 * The action that one request wants. A non-resource request (`path` set) has "" in all of the
 * resource parts.
 */
export interface AuthorizationAttributes {
  readonly user: UserInfo;
  /**
   * "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", or the
   * method in lower case for paths.
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
   * The selector as sent; the node authorizer allows lists and watches of single objects and of
   * pods bound to the node by it.
   */
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

/** `reason` as upstream puts it into SubjectAccessReview status; "" when there is none. */
export type AuthorizationDecision = { allowed: boolean; reason: string };

export interface Authorizer {
  /**
   * Node, then RBAC; system:masters may everything. Synchronous: it reads roles and graph that it
   * keeps in memory.
   */
  authorize(attributes: AuthorizationAttributes): AuthorizationDecision;
  /** Changes whenever a decision may; cached decisions of an older generation are void. */
  generation(): number;
  /** The `resourceRules` and `nonResourceRules` of a SelfSubjectRulesReview. */
  rulesFor(user: UserInfo, namespace: string): { resourceRules: JsonObject[]; nonResourceRules: JsonObject[] };
  /** Called in revision order with every committed batch, before its writers are answered. */
  observe(changes: readonly CommittedChange[]): void;
}

/** Reads the store's policy at the start; from then on `observe` passes it the changes. */
export type CreateAuthorizer = (deps: { store: Pick<Store, "list" | "find"> }) => Authorizer;

/**
 * Upstream's bootstrap ClusterRoles, ClusterRoleBindings, Roles and RoleBindings, with apiVersion
 * and kind.
 */
export type BootstrapPolicy = () => readonly JsonObject[];
