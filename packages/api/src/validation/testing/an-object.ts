import { applyDefaults, type Kind } from "../../kinds/define-kind.ts";
import type { ApiObject } from "../../meta/api-object.ts";
import { parseObject } from "../../parsing/parse-object.ts";

/** An object named x, with its defaults. */
export function anObject<T extends ApiObject>(kind: Kind<T>, body: object): T {
  const metadata = kind.type.namespaced ? { name: "x", namespace: "default" } : { name: "x" };
  return applyDefaults(
    kind,
    parseObject<T>(kind.schema, kind.type, {
      ...body,
      metadata: { ...metadata, ...("metadata" in body ? (body.metadata as object) : {}) },
    }),
  );
}

export const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "x:1" }] } };
export const replicaSet = { spec: { selector: { matchLabels: { app: "web" } }, template } };
export const deployment = { spec: { selector: { matchLabels: { app: "web" } }, template } };
export const daemonSet = { spec: { selector: { matchLabels: { app: "web" } }, template } };
export const roleRef = { kind: "ClusterRole", name: "admin" };
