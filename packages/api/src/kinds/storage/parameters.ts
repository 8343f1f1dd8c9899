import { checkQualifiedName } from "../../values/names.ts";
import type { Faults } from "../../validation/faults.ts";
import { utf8Length } from "../../validation/labels.ts";

const parametersMax = 512;
const parameterBytesMax = 256 * 1024;

/** Keys may not be empty, and the number and size of a driver's parameters are limited. */
export function validateParameters(
  parameters: Readonly<Record<string, string>>,
  { allowEmpty }: { allowEmpty: boolean },
  faults: Faults,
): void {
  const entries = Object.entries(parameters);
  if (entries.length > parametersMax) return faults.tooLong("parameters", parametersMax);
  for (const [key] of entries) if (key === "") faults.invalid("parameters", key, "field can not be empty.");
  const bytes = entries.reduce((sum, [key, value]) => sum + utf8Length(key) + utf8Length(value), 0);
  if (bytes > parameterBytesMax) faults.tooLong("parameters", parameterBytesMax);
  if (!allowEmpty && entries.length === 0) {
    faults.required("parameters", "must contain at least one key/value pair");
  }
}

export function validateProvisioner(name: string, path: string, faults: Faults): void {
  if (name === "") faults.required(path);
  else faults.invalidEach(path, name, checkQualifiedName(name.toLowerCase()));
}
