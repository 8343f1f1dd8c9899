import type { Faults } from "../../../validation/faults.ts";
import type { Scale } from "./scale.ts";

export function validateScale({ spec }: Scale, faults: Faults): void {
  faults.notNegative("spec.replicas", spec?.replicas);
}
