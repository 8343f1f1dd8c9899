import type { ApiError, JsonObject, ResourceType } from "@kintsugi/api";
import type { Authorizer, UserInfo } from "./authorization.ts";

/** Reports whether machines must not have an address. `BlockList` implements this interface. */
export interface AddressRefusal {
  check(address: string, family: "ipv4" | "ipv6"): boolean;
}

/** A write in the view of admission checks. */
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

/** Admission steps that belong to authorization. Each returns a rejection or undefined. */
export interface AuthorizationAdmission {
  /**
   * NodeRestriction as in upstream 1.33, including CVE-2025-5187. `findPod` and `findNode` return
   * the stored objects.
   */
  nodeRestriction(
    attributes: AdmissionAttributes,
    deps: {
      findPod(namespace: string, name: string): JsonObject | undefined;
      findNode(name: string): JsonObject | undefined;
      authorizer: Pick<Authorizer, "authorize">;
      /**
       * Addresses that no machine has: loopback and link-local addresses, and the addresses of the
       * API server and of Services.
       */
      refusedAddresses: AddressRefusal;
    },
  ): ApiError | undefined;
  /**
   * RBAC escalation: the user needs the rules that a (Cluster)Role contains (or `escalate`), and
   * the rules of a binding's role (or `bind`).
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
   * Admission policies and their bindings: a parameter requires the right to read it. `findPolicy`
   * returns the stored policy of that resource and name.
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
