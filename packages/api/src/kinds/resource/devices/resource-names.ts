import { validateDriverName } from "../../core/persistent-volume/source-validation.ts";
import { checkSubdomain1123 } from "../../../values/names.ts";
import type { Faults } from "../../../validation/faults.ts";
import { utf8Length } from "../../../validation/labels.ts";

const poolNameLengthMax = 253;
const identifierLengthMax = 32;

/** Validates a name that consists of DNS subdomains, separated by slashes. */
export function validatePoolName(name: string, path: string, faults: Faults): void {
  if (name === "") return faults.required(path);
  if (name.length > poolNameLengthMax) faults.tooLong(path, poolNameLengthMax);
  for (const part of name.split("/")) faults.invalidEach(path, part, checkSubdomain1123(part));
}

/** The name of an attribute or capacity: an identifier, optionally after a domain and a slash. */
export function validateQualifiedDeviceName(name: string, path: string, faults: Faults): void {
  const parts = name.split("/");
  if (parts.length > 2) return faults.invalid(path, name, "must not contain more than one slash");
  const [domain, identifier] = parts.length === 2 ? parts : [undefined, name];
  if (domain === "") faults.invalid(path, "", "the domain must not be empty");
  else if (domain !== undefined) validateDriverName(domain, path, faults);
  if (identifier === "" && domain !== undefined) faults.invalid(path, "", "the name must not be empty");
  else validateIdentifier(identifier ?? "", path, faults);
}

/** The name of an attribute in a constraint, which has to have a domain. */
export function validateFullyQualifiedName(name: string, path: string, faults: Faults): void {
  validateQualifiedDeviceName(name, path, faults);
  if (name.includes("/")) return;
  faults.invalid(path, name, "a fully qualified name must be a domain and a name separated by a slash");
}

function validateIdentifier(identifier: string, path: string, faults: Faults): void {
  if (identifier.length > identifierLengthMax) faults.tooLong(path, identifierLengthMax);
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(identifier)) return;
  const detail =
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";
  faults.invalid(path, identifier, detail);
}

/** A UID in the form that a server generates. */
export function validateShareId(uid: string, path: string, faults: Faults): void {
  if (/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/.test(uid)) return;
  const detail =
    "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters";
  faults.invalid(path, uid, detail);
}

/** Maximum size of parameters and data that only a driver reads, in bytes of JSON. */
const rawLengthMax = 10 * 1024;

export function validateRawSize(value: Readonly<Record<string, unknown>>, path: string, faults: Faults): void {
  if (utf8Length(JSON.stringify(value)) > rawLengthMax) faults.tooLong(path, rawLengthMax);
}

/**
 * Validates each item of a list, unless the list is too long; reports items with duplicate keys.
 */
export function validateEach<T>(
  {
    items = [],
    path,
    max,
    keyOf,
  }: {
    items: readonly T[] | undefined;
    path: string;
    max: number;
    keyOf?: (item: T) => string;
  },
  faults: Faults,
  validate: (item: T, path: string) => void,
): void {
  if (items.length > max) return faults.tooMany(path, items.length, max);
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    validate(item, `${path}[${index}]`);
    const key = keyOf?.(item);
    if (key === undefined) continue;
    if (seen.has(key)) faults.duplicate(`${path}[${index}]`, key);
    seen.add(key);
  }
}
