import { policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const podGcRole: ControllerRole = {
  name: "system:controller:pod-garbage-collector",
  rules: [
    policyRule("delete list watch", "core", "pods"),
    policyRule("get list watch", "core", "nodes"),
    policyRule("patch", "core", "pods/status"),
  ],
};
