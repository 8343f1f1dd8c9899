import { shortened, shownLengthMax, shownValue } from "../errors/shown.ts";
import type { FieldDescription, TypeDescription } from "../schema/describe-schema.ts";

/**
 * Maximum number of names in a message: a body can have thousands of errors, and a client does not
 * need more names.
 */
const unknownFieldsMax = 100;

/**
 * The fields of a body that its kind does not have, as upstream names them:
 * `unknown field "spec.containers[0].imagee"`.
 */
export function findUnknownFields(type: TypeDescription, value: unknown): string[] {
  const found: string[] = [];
  collect(type, value, { path: "", found });
  return found;
}

interface Walk {
  path: string;
  found: string[];
}

function collect(type: TypeDescription, value: unknown, walk: Walk): void {
  if (typeof value !== "object" || value === null || walk.found.length >= unknownFieldsMax) return;
  if (Array.isArray(value)) {
    if (type.type === "any" && type.either !== undefined) return collect(type.either.other, value, walk);
    if (type.type !== "list") return;
    for (const [index, item] of value.entries()) collect(type.items, item, { ...walk, path: `${walk.path}[${index}]` });
    return;
  }
  if (type.type === "any" && type.either !== undefined) collect(type.either.object(), value, walk);
  else if (type.type === "object") collectMembers(type.fields, value, walk);
  else if (type.type === "map") {
    for (const [key, member] of Object.entries(value))
      collect(type.values, member, { ...walk, path: join(walk.path, key) });
  }
}

function collectMembers(fields: ReadonlyMap<string, FieldDescription>, value: object, walk: Walk): void {
  for (const [key, member] of Object.entries(value)) {
    const field = fields.get(key);
    const path = join(walk.path, key);
    if (field !== undefined) collect(field.type, member, { ...walk, path });
    else if (walk.found.length < unknownFieldsMax) walk.found.push(`unknown field ${shownValue(path)}`);
  }
}

/**
 * Stops extending a path at the display limit; a key of 1 MB would otherwise be copied for every
 * descendant.
 */
function join(path: string, key: string): string {
  if (path.length >= shownLengthMax) return path;
  const part = shortened(key);
  return path === "" ? part : `${path}.${part}`;
}
