import {
  assertJsonBudget,
  badRequest,
  formatDuration,
  formatTimestamp,
  type JsonObject,
  type JsonValue,
} from "@kintsugi/api";
import type { TypeDescription } from "@kintsugi/api";
import { assertSafeJson, isPrototypeMember } from "../json-value.ts";
import { type FieldTable, fieldTableOf } from "./field-table.ts";
import type { WireReader } from "./wire-reader.ts";
import { isUnset } from "./zero-values.ts";

type MapDescription = Extract<TypeDescription, { type: "map" }>;
type ListDescription = Extract<TypeDescription, { type: "list" }>;
type ScalarDescription = Exclude<TypeDescription, { type: "object" | "list" | "map" }>;

/** The fields of a message as the members of a JSON object. */
export function decodeMessage(reader: WireReader, type: Extract<TypeDescription, { type: "object" }>): JsonObject {
  const object: JsonObject = {};
  decodeFields(reader, fieldTableOf(type), object);
  return object;
}

function decodeFields(reader: WireReader, table: FieldTable, object: JsonObject): void {
  reader.eachField((fieldNumber, wire) => {
    const entry = table.get(fieldNumber);
    if (entry === undefined) {
      return false;
    }
    if ("embedded" in entry) {
      decodeFields(reader.message(wire), entry.embedded, object);
      return true;
    }
    const { name, type } = entry;
    if (type.type === "list") {
      const list = (object[name] ??= []) as JsonValue[];
      list.push(...decodeItems(reader, type, wire));
      return true;
    }
    if (type.type === "map") {
      object[name] = decodeEntry(reader.message(wire), type, object[name] as JsonObject | undefined);
      return true;
    }
    const value = decodeValue(reader, type, wire);
    if (value !== undefined && !isUnset(entry, value)) {
      object[name] = value;
    }
    return true;
  });
}

/** One value, or undefined for a point in time that is not set. */
function decodeValue(reader: WireReader, type: TypeDescription, wire: number): JsonValue | undefined {
  switch (type.type) {
    case "object":
      return decodeMessage(reader.message(wire), type);
    case "list":
      return decodeListMessage(reader.message(wire), type);
    case "map":
      throw badRequest("protobuf map where a single value is expected");
    case "any":
      return type.either === undefined
        ? decodeAnyJson(reader.message(wire))
        : decodeEither(reader.message(wire), type.either);
    case "boolean":
      return reader.boolean(wire);
    case "integer":
      return reader.integer(wire);
    case "number":
      return reader.double(wire);
    case "string":
      return decodeText(reader, type, wire);
  }
}

function decodeText(reader: WireReader, { format }: ScalarDescription, wire: number): JsonValue | undefined {
  switch (format) {
    case "byte":
      return Buffer.from(reader.bytes(wire)).toString("base64");
    case "date-time":
      return decodeTime(reader.message(wire), false);
    case "micro-time":
      return decodeTime(reader.message(wire), true);
    case "duration":
      return decodeDuration(reader.message(wire));
    case "quantity":
      return decodeQuantity(reader.message(wire));
    case "int-or-string":
      return decodeIntOrString(reader.message(wire));
    default:
      return reader.text(wire);
  }
}

/** Repeated fields arrive one at a time; only numbers may be packed. */
function decodeItems(reader: WireReader, { items }: ListDescription, wire: number): JsonValue[] {
  if (items.type === "integer") {
    return reader.integers(wire);
  }
  const item = decodeValue(reader, items, wire);
  return item === undefined ? [] : [item];
}

/** A list inside a map is in a separate message. */
function decodeListMessage(reader: WireReader, type: ListDescription): JsonValue[] {
  const list: JsonValue[] = [];
  reader.eachField((fieldNumber, wire) => {
    if (fieldNumber === 1) {
      list.push(...decodeItems(reader, type, wire));
    }
    return fieldNumber === 1;
  });
  return list;
}

function decodeEntry(reader: WireReader, { values }: MapDescription, known: JsonObject | undefined): JsonObject {
  let key = "";
  let value: JsonValue | undefined;
  reader.eachField((fieldNumber, wire) => {
    if (fieldNumber === 1) {
      key = reader.text(wire);
    } else if (fieldNumber === 2) {
      value = decodeValue(reader, values, wire);
    }
    return fieldNumber <= 2;
  });
  if (isPrototypeMember(key)) {
    throw badRequest(`forbidden member name "${key}"`);
  }
  const map = known ?? {};
  map[key] = value ?? zeroOf(values);
  return map;
}

/** Returns the value of an entry that is omitted on the wire. */
function zeroOf(type: TypeDescription): JsonValue {
  switch (type.type) {
    case "list":
      return [];
    case "object":
    case "map":
    case "any":
      return {};
    case "integer":
    case "number":
      return 0;
    case "boolean":
      return false;
    case "string":
      return type.format === "quantity" ? "0" : "";
  }
}

/** A message that has a field for each form of the value. */
function decodeEither(reader: WireReader, either: NonNullable<ScalarDescription["either"]>): JsonValue | undefined {
  const message = either.message();
  if (message.type !== "object") throw new Error("the message of a value of either form is an object");
  return either.ofMessage(decodeMessage(reader, message)) as JsonValue | undefined;
}

/** RawExtension and FieldsV1: JSON text in field 1. */
function decodeAnyJson(reader: WireReader): JsonValue | undefined {
  let text: string | undefined;
  reader.eachField((fieldNumber, wire) => {
    if (fieldNumber === 1) {
      text = reader.text(wire);
    }
    return fieldNumber === 1;
  });
  if (text === undefined || text === "") {
    return undefined;
  }
  reader.spend(assertJsonBudget(text));
  const value: unknown = JSON.parse(text);
  assertSafeJson(value);
  return value;
}

/** Go writes only times of the years 1 to 9999 into JSON. */
const [firstSecond, lastSecond] = [-62_135_596_800, 253_402_300_799];

/** Seconds and nanoseconds since 1970; both zero represent a time that is not set. */
function decodeTime(reader: WireReader, micro: boolean): string | undefined {
  let [seconds, nanos] = [0, 0];
  reader.eachField((fieldNumber, wire) => {
    if (fieldNumber === 1) {
      seconds = reader.integer(wire);
    } else if (fieldNumber === 2) {
      nanos = reader.integer(wire);
    }
    return fieldNumber <= 2;
  });
  if (seconds === 0 && nanos === 0) {
    return undefined;
  }
  if (seconds < firstSecond || seconds > lastSecond)
    throw new RangeError(`${seconds} s is outside the years 1 to 9999`);
  const text = formatTimestamp(seconds * 1000);
  // Assembled from digits, because microseconds would not be exact as a fraction of milliseconds.
  return micro ? `${text.slice(0, -1)}.${String(Math.trunc(nanos / 1000)).padStart(6, "0")}Z` : text;
}

/** Nanoseconds; Kintsugi's JSON has at most milliseconds. */
function decodeDuration(reader: WireReader): string {
  let nanos = 0;
  reader.eachField((fieldNumber, wire) => {
    if (fieldNumber === 1) {
      nanos = reader.integer(wire);
    }
    return fieldNumber === 1;
  });
  if (nanos < 0) throw new RangeError(`${nanos} ns is not a duration`);
  return formatDuration(Math.trunc(nanos / 1_000_000));
}

function decodeQuantity(reader: WireReader): string {
  let text = "0";
  reader.eachField((fieldNumber, wire) => {
    if (fieldNumber === 1) {
      text = reader.text(wire);
    }
    return fieldNumber === 1;
  });
  return text;
}

function decodeIntOrString(reader: WireReader): number | string {
  let [kind, number, text] = [0, 0, ""];
  reader.eachField((fieldNumber, wire) => {
    if (fieldNumber === 1) {
      kind = reader.integer(wire);
    } else if (fieldNumber === 2) {
      number = reader.integer(wire);
    } else if (fieldNumber === 3) {
      text = reader.text(wire);
    }
    return fieldNumber <= 3;
  });
  return kind === 0 ? number : text;
}
