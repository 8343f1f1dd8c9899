import type { Field, MessageType } from "@kintsugi/grpc";

type Message = Readonly<Record<string, unknown>>;

/**
 * Converts a decoded message into a plain message: absent messages are omitted, and 64-bit integers
 * are numbers, which represent every amount below 8 PiB exactly.
 */
export function plainMessage(type: MessageType, message: object): object {
  const plain: Record<string, unknown> = {};
  for (const { name, shape, type: inner } of type.fields.values()) {
    const value = (message as Message)[name];
    if (value === null || value === undefined) continue;
    const one = (each: unknown) => plainValue(inner, each);
    plain[name] = shape === "list" ? (value as readonly unknown[]).map(one) : shape === "map" ? value : one(value);
  }
  return plain;
}

function plainValue(type: Field["type"], value: unknown): unknown {
  if (type === "int64" || type === "uint64") return Number(value);
  if (typeof type === "object" && type.kind === "message") return plainMessage(type, value as object);
  return value;
}
