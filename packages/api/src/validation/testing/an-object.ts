import { applyDefaults } from "../../defaults/apply-defaults.ts";
import { findSchema } from "../../kinds/schemas.ts";
import type { ApiObject } from "../../meta/api-object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { parseObject } from "../../parsing/parse-object.ts";

/** An object named x, with its defaults. */
export function anObject(type: ResourceType, body: object): ApiObject {
  const metadata = type.namespaced ? { name: "x", namespace: "default" } : { name: "x" };
  const schema = findSchema(type);
  if (schema === undefined) throw new Error("every resource has a schema");
  return applyDefaults(
    type,
    parseObject<ApiObject>(schema, type, {
      ...body,
      metadata: { ...metadata, ...("metadata" in body ? (body.metadata as object) : {}) },
    }),
  );
}

export const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "x:1" }] } };
export const replicaSet = { spec: { selector: { matchLabels: { app: "web" } }, template } };
export const deployment = { spec: { selector: { matchLabels: { app: "web" } }, template } };
export const roleRef = { kind: "ClusterRole", name: "admin" };
