import { policyRule } from "@kintsugi/api";
import type { ControllerRole } from "./controller-role.ts";

/**
 * This project's role, because upstream's taint eviction deletes pods, and cannot respect
 * disruption budgets.
 */
export const podEvictionRole: ControllerRole = {
  name: "kintsugi:taint-eviction-controller",
  rules: [policyRule("create", "core", "pods/eviction"), policyRule("get", "coordination.k8s.io", "leases")],
};
