import type { ObjectKey } from "../../../meta/resource-type.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import { formatAge } from "../../../table/cells.ts";
import type { Faults } from "../../../validation/faults.ts";
import { defineKind } from "../../define-kind.ts";
import { leases, nodeLeaseNamespace } from "./lease-type.ts";
import { Lease } from "./lease.ts";

export const leaseKind = defineKind<Lease>({
  type: leases,
  schema: Lease,
  validation: { validate: validateLease },
  strategy: { conditionalUpdateOnly: true, createOnUpdate: true },
  table: {
    columns: [nameColumn, column("Holder", "Identity of the lease's holder."), ageColumn],
    cells: (lease, nowMs) => [lease.metadata.name ?? "", lease.spec?.holderIdentity ?? "", formatAge(lease, nowMs)],
  },
  // A node that cannot renew its Lease is considered unreachable, and a leader loses the lead.
  exceptions: { keepsAlive: true, nodeOf, heartbeatOf: nodeOf },
});

function nodeOf({ namespace, name }: ObjectKey): string {
  return namespace === nodeLeaseNamespace ? name : "";
}

function validateLease({ spec = {} }: Lease, faults: Faults): void {
  const { leaseDurationSeconds, leaseTransitions, preferredHolder = "", strategy = "" } = spec;
  if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0) {
    faults.invalid("spec.leaseDurationSeconds", leaseDurationSeconds, "must be greater than 0");
  }
  faults.notNegative("spec.leaseTransitions", leaseTransitions);
  if (preferredHolder !== "" && strategy === "") {
    faults.forbidden("spec.preferredHolder", "may only be specified when `strategy` is defined");
  }
}
