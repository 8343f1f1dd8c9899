import {
  describeObject,
  describeSchema,
  type JsonObject,
  ObjectMeta,
  Status,
  type TypeDescription,
} from "@kintsugi/api";
import type { DescribeKind } from "../http/body.ts";
import { protobufBody, protobufList } from "../protobuf/index.ts";

type ObjectDescription = Extract<TypeDescription, { type: "object" }>;

/** An answer in protobuf; undefined where its kind has no protobuf form. */
export function protobufAnswer(object: JsonObject, describe: DescribeKind): Uint8Array | undefined {
  const { apiVersion, kind, metadata, items } = object;
  if (typeof apiVersion !== "string" || typeof kind !== "string") return undefined;
  const own = answerType(apiVersion, kind, describe);
  if (own !== undefined) return protobufBody(object, own);
  const itemType = answerType(apiVersion, kind.replace(/List$/, ""), describe);
  if (itemType === undefined || !Array.isArray(items)) return undefined;
  const list = protobufList({ apiVersion, kind, metadata: (metadata ?? {}) as JsonObject }, itemType);
  const parts = items.map((item) => list.item(item as JsonObject));
  return Buffer.concat([list.opening(parts.reduce((sum, part) => sum + part.byteLength, 0)), ...parts]);
}

function answerType(apiVersion: string, kind: string, describe: DescribeKind): ObjectDescription | undefined {
  if (kind === "PartialObjectMetadata") return metadataAlone;
  if (kind === "Status") return statusType;
  const type = describe(apiVersion, kind);
  return type?.type === "object" ? type : undefined;
}

export const statusType = describeObject(Status);

/** The message of an object that is shown by its metadata only. */
export const metadataAlone: ObjectDescription = {
  type: "object",
  name: "io.k8s.apimachinery.pkg.apis.meta.v1.PartialObjectMetadata",
  get fields() {
    const metadata = { name: "metadata", type: describeSchema(ObjectMeta), required: false, protoNumber: 1 };
    return new Map([["metadata", metadata]]);
  },
};
