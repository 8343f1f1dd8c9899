import type { DeleteOptions } from "../meta/delete-options.ts";
import type { Faults } from "./faults.ts";

const propagationPolicies = ["Foreground", "Background", "Orphan"];

export function validateDeleteOptions(options: DeleteOptions, faults: Faults): void {
  const { orphanDependents, propagationPolicy, dryRun = [] } = options;
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    const detail = "orphanDependents and deletionPropagation cannot be both set";
    faults.invalid("propagationPolicy", propagationPolicy, detail);
  }
  if (propagationPolicy !== undefined && !propagationPolicies.includes(propagationPolicy)) {
    faults.notSupported("propagationPolicy", propagationPolicy, [...propagationPolicies, "nil"]);
  }
  for (const [index, stage] of dryRun.entries()) {
    if (stage !== "All") faults.notSupported(`dryRun[${index}]`, stage, ["All"]);
  }
}
