import type { ResourceType } from "../../../meta/resource-type.ts";
import type { RoleBinding, ClusterRoleBinding } from "./role-binding.ts";

export const roleBindings: ResourceType<RoleBinding> = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  resource: "rolebindings",
  singular: "rolebinding",
  kind: "RoleBinding",
  namespaced: true,
  shortNames: [],
  categories: [],
};

export const clusterRoleBindings: ResourceType<ClusterRoleBinding> = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  resource: "clusterrolebindings",
  singular: "clusterrolebinding",
  kind: "ClusterRoleBinding",
  namespaced: false,
  shortNames: [],
  categories: [],
};
