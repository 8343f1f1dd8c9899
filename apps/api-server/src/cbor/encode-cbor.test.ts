import { builtInKinds, describeSchema, type JsonValue, ObjectMeta, type TypeDescription } from "@kintsugi/api";
import { expect, test } from "vitest";
import { cborBody, cborFrame, cborItem, cborListOpening } from "./encode-cbor.ts";
import { decodeCbor } from "./decode-cbor.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** Upstream's own results for the examples of RFC 8949. */
test.each<[JsonValue, string]>([
  [0, "00"],
  [-1, "20"],
  [24, "1818"],
  [1_000_000_000_000, "1b000000e8d4a51000"],
  [2 ** 53, "1b0020000000000000"],
  [-(2 ** 62), "3b3fffffffffffffff"],
  [2 ** 63, "fa5f000000"],
  [1.5, "f93e00"],
  [1.1, "fb3ff199999999999a"],
  [3.4028234663852886e38, "fa7f7fffff"],
  [true, "f5"],
  [null, "f6"],
  ["", "40"],
  ["IETF", "4449455446"],
  ["水", "43e6b0b4"],
  [{ b: [2, 3], a: 1 }, "a24161014162820203"],
  [{ Fun: true, Amt: -2 }, "a243416d74214346756ef5"],
  [{ aa: 1, b: 2 }, "a2416202426161" + "01"],
])("%j is encoded as in upstream", (value, expected) => {
  expect(hex(cborItem(value))).toBe(expected);
  expect(hex(cborBody(value))).toBe(`d9d9f7${expected}`);
});

test("only byte fields are encoded as bytes with the base64 tag", () => {
  const secret = builtInKinds.find(({ type }) => type.kind === "Secret" && type.version === "v1");
  const object = { metadata: { name: "Zm9v" }, data: { a: "Zm9v", odd: "Zm9" }, type: "Opaque" };
  const bytes = cborItem(object, secret?.description);
  expect(hex(bytes)).toContain(hex(Buffer.concat([cborItem("a"), Buffer.from("d643666f6f", "hex")])));
  expect(decodeCbor(bytes, { fault: "" })).toEqual(object);
  expect(cborItem(object.metadata, describeSchema(ObjectMeta))).toEqual(cborItem(object.metadata));
  expect(object.data.a).toBe("Zm9v");
});

test("an undefined member is omitted, as in JSON", () => {
  expect(hex(cborItem({ a: undefined } as unknown as JsonValue))).toBe("a0");
});

test("an event and the head of a list are items that later parts complete", () => {
  const event = cborFrame("ADDED", cborBody({ a: 1 }));
  expect(decodeCbor(event, { fault: "" })).toEqual({ type: "ADDED", object: { a: 1 } });
  for (const length of [0, 23, 24, 300]) {
    const items = Array.from({ length }, (_, i) => cborItem(i));
    const list = Buffer.concat([cborListOpening({ kind: "List" }, "items", length), ...items]);
    expect(decodeCbor(list, { fault: "" })).toEqual({ kind: "List", items: items.map((_, i) => i) });
  }
});

/** A value of a type, with every field that it may have, to a depth. */
function example(type: TypeDescription, depth = 0): JsonValue {
  switch (type.type) {
    case "object":
      return Object.fromEntries(
        depth > 6 ? [] : [...type.fields].map(([name, field]) => [name, example(field.type, depth + 1)]),
      );
    case "list":
      return depth > 6 ? [] : [example(type.items, depth + 1)];
    case "map":
      return { "example.com/key": example(type.values, depth + 1) };
    case "boolean":
      return true;
    case "integer":
      return 7;
    case "number":
      return 0.25;
    case "any":
      return { any: [1, "a", null] };
    case "string":
      return type.format === "byte" ? "AAEC/w==" : `${type.format ?? "text"} ü`;
  }
}

test.each(builtInKinds.map((kind) => [`${kind.type.group}/${kind.type.version} ${kind.type.kind}`, kind] as const))(
  "%s is decoded as it was encoded",
  (_name, { description }) => {
    const object = example(description);
    expect(decodeCbor(cborBody(object, description), { fault: "", valuesMax: 200_000 })).toEqual(object);
  },
);
