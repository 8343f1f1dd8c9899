import type { ObjectDescription, TypeDescription } from "@kintsugi/api";
import { dyn, listOfType, mapOfType, objectWith, type StaticType, typeNamed } from "@kintsugi/cel";
import { escapedName } from "@kintsugi/structural-schemas";

const [text, int, double, bool] = [typeNamed("string"), typeNamed("int"), typeNamed("double"), typeNamed("bool")];
const [bytes, time] = [typeNamed("bytes"), typeNamed("google.protobuf.Timestamp")];

/** The types of expressions, by the descriptions from which they are made. */
export type KnownTypes = Map<ObjectDescription, StaticType>;

/**
 * The type of an expression with a described value, as upstream derives it from OpenAPI
 * (SchemaDeclType of apiserver/pkg/cel/common). Recursive types are made once.
 */
export function celTypeOf(described: TypeDescription, known: KnownTypes): StaticType {
  switch (described.type) {
    case "object":
      return objectType(described, known);
    case "list":
      return listOfType(celTypeOf(described.items, known));
    case "map":
      return mapOfType(text, celTypeOf(described.values, known));
    case "string":
      if (described.format === "byte") return bytes;
      if (described.format === "date-time" || described.format === "micro-time") return time;
      return described.format === "int-or-string" ? dyn : text;
    case "integer":
      return int;
    case "number":
      return double;
    case "boolean":
      return bool;
    case "any":
      return dyn;
  }
}

function objectType(described: ObjectDescription, known: KnownTypes): StaticType {
  const made = known.get(described);
  if (made !== undefined) return made;
  const fields: Record<string, StaticType> = Object.create(null) as Record<string, StaticType>;
  const type = objectWith(described.name.slice(described.name.lastIndexOf(".") + 1), fields);
  known.set(described, type);
  for (const [name, field] of described.fields) fields[escapedName(name)] = celTypeOf(field.type, known);
  return type;
}
