import { formatAge, formatLabelSelector } from "../../../table/cells.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import { defineKind } from "../../define-kind.ts";
import { networkPolicies } from "./network-policy-type.ts";
import { validateNetworkPolicy } from "./network-policy-validation.ts";
import { NetworkPolicy } from "./network-policy.ts";

export const networkPolicyKind = defineKind<NetworkPolicy>({
  type: networkPolicies,
  schema: NetworkPolicy,
  defaults: ({ spec }) => {
    if (spec === undefined) return;
    const { ingress = [], egress = [], policyTypes = [] } = spec;
    for (const port of [...ingress, ...egress].flatMap(({ ports = [] }) => ports)) port.protocol ??= "TCP";
    if (policyTypes.length === 0) spec.policyTypes = egress.length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
  },
  validation: { validate: validateNetworkPolicy },
  strategy: { generation: true },
  table: {
    columns: [nameColumn, column("Pod-Selector", "Pods that the policy applies to."), ageColumn],
    cells: (policy, nowMs) => [
      policy.metadata.name ?? "",
      formatLabelSelector(policy.spec?.podSelector),
      formatAge(policy, nowMs),
    ],
  },
});
