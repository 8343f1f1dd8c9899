import type { Lease } from "../kinds/coordination/lease.ts";
import type { Namespace } from "../kinds/core/namespace.ts";
import { checkQualifiedName } from "../values/names.ts";
import type { Faults } from "./faults.ts";

export function validateLease({ spec = {} }: Lease, faults: Faults): void {
  const { leaseDurationSeconds, leaseTransitions, preferredHolder = "", strategy = "" } = spec;
  if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0) {
    faults.invalid("spec.leaseDurationSeconds", leaseDurationSeconds, "must be greater than 0");
  }
  faults.notNegative("spec.leaseTransitions", leaseTransitions);
  if (preferredHolder !== "" && strategy === "") {
    faults.forbidden("spec.preferredHolder", "may only be specified when `strategy` is defined");
  }
}

export function validateNamespace({ spec }: Namespace, faults: Faults): void {
  for (const [index, finalizer] of (spec?.finalizers ?? []).entries()) {
    const path = `spec.finalizers[${index}]`;
    faults.invalidEach(path, finalizer, checkQualifiedName(finalizer));
    if (!finalizer.includes("/") && finalizer !== "kubernetes") {
      faults.invalid(path, finalizer, "name is neither a standard finalizer name nor is it fully qualified");
    }
  }
}
