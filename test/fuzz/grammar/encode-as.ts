import { apiVersionOf, builtInKinds } from "@kintsugi/api";
import { encode } from "cborg";
import { protobufBody } from "../../../apps/api-server/src/protobuf/encode-protobuf.ts";
import type { FuzzRequest } from "./fuzz-request.ts";

/** The encodings of an object that is written as a whole. */
export const encodings = ["json", "yaml", "cbor", "protobuf"] as const;
type Encoding = (typeof encodings)[number];

const descriptions = new Map(
  builtInKinds.map(({ type, description }) => [`${apiVersionOf(type)} ${type.kind}`, description]),
);

/**
 * The object in an encoding. It is in JSON if its kind, or its parts of wrong types, cannot be
 * written in protobuf.
 */
export function encodeAs(encoding: Encoding, object: object): Pick<FuzzRequest, "headers" | "body"> {
  const withType = (type: string, body: Uint8Array) => ({
    headers: { accept: "application/json", "content-type": type },
    body,
  });
  if (encoding === "cbor") return withType("application/cbor", encode(object));
  const inProtobuf = encoding === "protobuf" ? protobufOf(object) : undefined;
  if (inProtobuf !== undefined) return withType("application/vnd.kubernetes.protobuf", inProtobuf);
  // JSON is YAML, and a YAML reader uses another code path for it.
  const type = encoding === "yaml" ? "application/yaml" : "application/json";
  return withType(type, new TextEncoder().encode(JSON.stringify(object)));
}

function protobufOf(object: object): Uint8Array | undefined {
  const { apiVersion, kind } = object as { apiVersion?: unknown; kind?: unknown };
  const description = descriptions.get(`${String(apiVersion)} ${String(kind)}`);
  if (description === undefined) return undefined;
  try {
    return protobufBody(object as never, description as never);
  } catch {
    return undefined;
  }
}
