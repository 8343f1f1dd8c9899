import { apiVersionOf, builtInKinds, type JsonObject, type JsonValue, type TypeDescription } from "@kintsugi/api";
import { withinLimits } from "@kintsugi/api/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeProtobuf } from "./index.ts";
import { protobufBody } from "./encode-protobuf.ts";
import { encodeProtobuf } from "./testing/encode-protobuf.ts";

const depthMax = 12;

/**
 * Values of a type that protobuf can represent. It cannot represent an empty list, an empty map, or
 * the difference between a plain field that is empty and a plain field that is omitted.
 */
function valueOf(type: TypeDescription, depth: number): fc.Arbitrary<JsonValue> {
  switch (type.type) {
    case "object":
      return objectOf(type, depth);
    case "list":
      return fc.array(valueOf(type.items, depth + 1), { minLength: 1, maxLength: 2 }) as fc.Arbitrary<JsonValue>;
    case "map":
      return fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), valueOf(type.values, depth + 1), {
        minKeys: 1,
        maxKeys: 2,
      }) as fc.Arbitrary<JsonValue>;
    case "any":
      if (type.either === undefined) return fc.constant({ "f:spec": { ".": {}, "k:{}": [1, "a", null, true, 0.5] } });
      return fc.oneof(valueOf(type.either.other, depth + 1), valueOf(type.either.object(), depth + 1));
    case "boolean":
      return fc.constant(true);
    case "integer":
      return type.format === "int64"
        ? fc.oneof(fc.constantFrom(1, -1, 2 ** 31, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER))
        : fc.constantFrom(1, -1, 2 ** 31 - 1, -(2 ** 31));
    case "number":
      return fc.constantFrom(0.5, -1e300, 3);
    case "string":
      return textOf(type.format);
  }
}

function textOf(format: string | undefined): fc.Arbitrary<JsonValue> {
  switch (format) {
    case "byte":
      return fc.uint8Array({ minLength: 1, maxLength: 5 }).map((bytes) => Buffer.from(bytes).toString("base64"));
    case "date-time":
      return fc.constantFrom("1970-01-01T00:00:01Z", "1969-12-31T23:59:59Z", "9999-12-31T23:59:59Z");
    case "micro-time":
      return fc.constantFrom("2024-02-29T12:00:00.000001Z", "2024-02-29T12:00:00.999999Z");
    case "duration":
      return fc.constantFrom("15s", "1m30s", "250ms");
    case "quantity":
      return fc.constantFrom("100m", "1Gi", "0");
    case "int-or-string":
      return fc.constantFrom(8080, -1, "http", "25%");
    default:
      return fc.constantFrom("a", "ein Text – mit Ümläuten 🫖", "x".repeat(300));
  }
}

function objectOf(
  type: Extract<TypeDescription, { type: "object" }>,
  depth: number,
): fc.Arbitrary<Record<string, JsonValue>> {
  if (depth > depthMax) return fc.constant({});
  const fields = [...type.fields.values()].filter(({ protoNumber }) => protoNumber !== undefined);
  if (fields.length === 0) return fc.constant({});
  // A few fields at a time, because all fields of a pod together would be millions.
  return fc
    .subarray(fields, { maxLength: Math.min(4, fields.length) })
    .chain((chosen) =>
      fc.record(Object.fromEntries(chosen.map((field) => [field.name, valueOf(field.type, depth + 1)]))),
    ) as fc.Arbitrary<Record<string, JsonValue>>;
}

describe("an object of every kind is the same after it is encoded and decoded as protobuf", () => {
  test.each(builtInKinds.map((kind) => [`${apiVersionOf(kind.type)} ${kind.type.kind}`, kind] as const))(
    "%s",
    (_name, { type, description }) => {
      const head = { apiVersion: apiVersionOf(type), kind: type.kind };
      fc.assert(
        fc.property(
          objectOf(description, 0),
          withinLimits((fields) => {
            const object: JsonObject = { ...head, ...fields };
            const body = protobufBody(object, description);
            expect(decodeProtobuf(body, () => description)).toEqual(object);
            // A client's encoder, which was written independently of this encoder, results in the
            // same object.
            expect(decodeProtobuf(encodeProtobuf(object, description), () => description)).toEqual(object);
          }),
        ),
        { numRuns: 30 },
      );
    },
  );
});
