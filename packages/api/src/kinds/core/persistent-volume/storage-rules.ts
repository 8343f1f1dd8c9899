import { checkSubdomain1123 } from "../../../values/names.ts";
import { parseQuantity } from "../../../values/quantity.ts";
import type { Faults } from "../../../validation/faults.ts";
import { accessModes } from "./access-modes.ts";

// Rules that volumes and claims share.

const volumeModes = ["Block", "Filesystem"];

export function validateAccessModes(modes: readonly string[], path: string, faults: Faults): void {
  for (const mode of modes) {
    if (!accessModes.includes(mode)) faults.notSupported(path, mode, accessModes);
  }
  const others = modes.some((mode) => mode !== "ReadWriteOncePod" && accessModes.includes(mode));
  if (others && modes.includes("ReadWriteOncePod")) {
    faults.forbidden(path, "may not use ReadWriteOncePod with other access modes");
  }
}

export function validateVolumeMode(mode: string | undefined, path: string, faults: Faults): void {
  if (mode !== undefined && !volumeModes.includes(mode)) faults.notSupported(path, mode, volumeModes);
}

export function validateClassName(name: string, path: string, faults: Faults): void {
  faults.invalidEach(path, name, checkSubdomain1123(name));
}

export function validatePositive(quantity: string, path: string, faults: Faults): void {
  if (parseQuantity(quantity).nanos <= 0n) faults.invalid(path, quantity, "must be greater than zero");
}
