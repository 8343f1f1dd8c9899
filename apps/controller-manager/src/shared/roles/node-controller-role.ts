import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "./controller-role.ts";

/** Upstream's role of controllers that monitor nodes and their pods. */
export const nodeControllerRole: ControllerRole = {
  name: "system:controller:node-controller",
  rules: [
    policyRule("delete get list patch update watch", "core", "nodes"),
    policyRule("patch update", "core", "nodes/status"),
    policyRule("patch update", "core", "pods/status"),
    policyRule("delete get list watch", "core", "pods"),
    eventsPolicyRule,
  ],
};
