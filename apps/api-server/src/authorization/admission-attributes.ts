import type { ApiError, ResourceType } from "@kintsugi/api";
import type { JsonObject } from "../json.ts";
import type { Authorizer, UserInfo } from "./authorization.ts";

/** Reports addresses that no machine may have; a BlockList is one. */
export interface AddressRefusal {
  check(address: string, family: "ipv4" | "ipv6"): boolean;
}

/** The view of a write that admission decides on. */
export interface AdmissionAttributes {
  readonly operation: "create" | "update" | "delete" | "connect";
  readonly user: UserInfo;
  readonly type: ResourceType;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The object as it would be stored (or the body: Binding, Eviction); absent for deletes. */
  readonly object: JsonObject | undefined;
  /** The stored object; absent for creates. */
  readonly before: JsonObject | undefined;
}

/** Steps of admission that belong to authorization: each returns the refusal, or nothing. */
export interface AuthorizationAdmission {
  /**
   * NodeRestriction as upstream 1.33, CVE-2025-5187 included. `findPod` and `findNode` return the
   * stored objects.
   */
  nodeRestriction(
    attributes: AdmissionAttributes,
    deps: {
      findPod(namespace: string, name: string): JsonObject | undefined;
      findNode(name: string): JsonObject | undefined;
      authorizer: Pick<Authorizer, "authorize">;
      /**
       * Addresses that no machine has: loopback, link-local, the API server's own, those of
       * Services.
       */
      refusedAddresses: AddressRefusal;
    },
  ): ApiError | undefined;
  /**
   * RBAC escalation: rules in a (Cluster)Role need to be held (or `escalate`); a binding's role
   * likewise (or `bind`).
   */
  roleEscalation(
    attributes: AdmissionAttributes,
    deps: {
      authorizer: Authorizer;
      findRole(kind: "Role" | "ClusterRole", namespace: string, name: string): JsonObject | undefined;
    },
  ): ApiError | undefined;
  /**
   * OwnerReferencesPermissionEnforcement: blockOwnerDeletion needs update on the owner's
   * finalizers.
   */
  ownerReferencesPermission(
    attributes: AdmissionAttributes,
    deps: { authorizer: Authorizer; resourceOf(apiVersion: string, kind: string): ResourceType | undefined },
  ): ApiError | undefined;
  /**
   * Policies of admission and their bindings: what is read as a parameter takes the right to read
   * it. `findPolicy` returns the stored policy of that resource and name.
   */
  policyParameters(
    attributes: AdmissionAttributes,
    deps: {
      authorizer: Pick<Authorizer, "authorize">;
      resourceOf(apiVersion: string, kind: string): ResourceType | undefined;
      findPolicy(resource: string, name: string): JsonObject | undefined;
    },
  ): ApiError | undefined;
}
