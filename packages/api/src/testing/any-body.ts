import fc from "fast-check";
import type { z } from "zod";
import { describeSchema, type ScalarDescription, type TypeDescription } from "../schema/describe-schema.ts";

/** Deep enough for a field of the deepest object: template, container, probe, action. */
const depthMax = 8;

/**
 * Any JSON body that decodes as the schema's type: fields are present or absent, lists are short,
 * texts have the right format though not always in their canonical form. For property tests.
 */
export function anyBody(schema: z.ZodType): fc.Arbitrary<unknown> {
  return bodyOf(describeSchema(schema), { depth: depthMax, within: [] });
}

/** The remaining depth, and the types around the value: a recursive type contains itself once. */
interface Where {
  depth: number;
  within: readonly TypeDescription[];
}

function below({ depth, within }: Where, type?: TypeDescription): Where {
  return { depth: depth - 1, within: type === undefined ? within : [...within, type] };
}

function bodyOf(type: TypeDescription, where: Where): fc.Arbitrary<unknown> {
  const { depth, within } = where;
  if (type.type === "object") {
    const isRepeated = within.filter((outer) => outer === type).length > 1;
    return depth <= 0 || isRepeated ? fc.constant({}) : objectOf(type, where);
  }
  if (type.type === "list") return fc.array(bodyOf(type.items, below(where)), { maxLength: depth > 1 ? 2 : 0 });
  if (type.type === "map") {
    return fc.dictionary(fc.constantFrom("a", "cpu", "constructor"), bodyOf(type.values, below(where)), { maxKeys: 2 });
  }
  if (type.type === "any" && type.either !== undefined) return eitherOf(type.either, where);
  return scalarOf(type);
}

/** Each field is present one time in three, and sometimes null, which counts as absent. */
function objectOf(type: Extract<TypeDescription, { type: "object" }>, where: Where): fc.Arbitrary<unknown> {
  const fields = [...type.fields.values()].map((field) => {
    const value = fc.oneof(
      { weight: 6, arbitrary: fc.constant(undefined) },
      { weight: 3, arbitrary: bodyOf(field.type, below(where, type)) },
      { weight: 1, arbitrary: fc.constant(null) },
    );
    return [field.name, value] as const;
  });
  return fc.record(Object.fromEntries(fields)).map((body) => JSON.parse(JSON.stringify(body)) as unknown);
}

/** A value of either form. */
function eitherOf(either: NonNullable<ScalarDescription["either"]>, where: Where): fc.Arbitrary<unknown> {
  return fc.oneof(bodyOf(either.object(), below(where)), bodyOf(either.other, below(where)));
}

function scalarOf({ type, format, values }: ScalarDescription): fc.Arbitrary<unknown> {
  if (type === "any") return fc.constant({ "f:metadata": { "f:name": {} } });
  if (type === "boolean") return fc.boolean();
  if (type === "integer" || type === "number") return fc.integer({ min: -1, max: 100 });
  if (values !== undefined) return fc.constantFrom("", ...values);
  return fc.constantFrom<unknown>(...(textsByFormat[format ?? ""] ?? ["", "a", "10.0.0.1", "nginx:1"]));
}

const textsByFormat: Readonly<Record<string, readonly unknown[]>> = {
  quantity: ["1", "100m", "1u", "3n", "1Gi", "1024Mi", "1e-6", "0.5", 2],
  "date-time": ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.123456789+02:00"],
  "micro-time": ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.123456789+02:00"],
  duration: ["15s", "1m30s"],
  byte: ["", "eA=="],
  "int-or-string": [0, 80, "http", ""],
};
