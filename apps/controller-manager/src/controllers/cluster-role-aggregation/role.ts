import { policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

/** The verb `escalate` lets it gather rights that it does not have itself. */
export const clusterRoleAggregationRole: ControllerRole = {
  name: "system:controller:clusterrole-aggregation-controller",
  rules: [policyRule("escalate get list patch update watch", "rbac.authorization.k8s.io", "clusterroles")],
};
