import { policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

/** The verb `escalate` lets the controller write permissions that it does not have itself. */
export const clusterRoleAggregationRole: ControllerRole = {
  name: "system:controller:clusterrole-aggregation-controller",
  rules: [policyRule("escalate get list patch update watch", "rbac.authorization.k8s.io", "clusterroles")],
};
