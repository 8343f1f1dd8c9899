import type { Faults } from "./faults.ts";

/** Paths that have to remain inside a volume. */

/** A relative path that never leads upwards. */
export function validateDescendingPath(path: string, field: string, faults: Faults): void {
  if (path.startsWith("/")) faults.invalid(field, path, "must be a relative path");
  validateNoBacksteps(path, field, faults);
}

export function validateNoBacksteps(path: string, field: string, faults: Faults): void {
  if (path.split("/").includes("..")) faults.invalid(field, path, "must not contain '..'");
}

/**
 * Validates a name in a volume that the kubelet fills. Names with two leading dots are the
 * kubelet's own links.
 */
export function validateFilePath(path: string, field: string, faults: Faults): void {
  validateDescendingPath(path, field, faults);
  if (path.startsWith("..") && !path.startsWith("../")) faults.invalid(field, path, "must not start with '..'");
}

export function validateFileMode(mode: number | undefined, field: string, faults: Faults): void {
  if (mode !== undefined && (mode < 0 || mode > 0o777)) {
    faults.invalid(field, mode, "must be a number between 0 and 0777 (octal), both inclusive");
  }
}
