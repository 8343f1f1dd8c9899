import type { ResourceType } from "../../../meta/resource-type.ts";
import type { Role, ClusterRole } from "./role.ts";

export const roles: ResourceType<Role> = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  resource: "roles",
  singular: "role",
  kind: "Role",
  namespaced: true,
  shortNames: [],
  categories: [],
};

export const clusterRoles: ResourceType<ClusterRole> = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  resource: "clusterroles",
  singular: "clusterrole",
  kind: "ClusterRole",
  namespaced: false,
  shortNames: [],
  categories: [],
};
