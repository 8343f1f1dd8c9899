import type { JsonObject } from "@kintsugi/api";

export const owner = { apiVersion: "v1", kind: "Node", name: "node-1", uid: "node-uid", controller: true };

export function aNode(metadata: JsonObject = {}, spec: JsonObject = {}): JsonObject {
  return { kind: "Node", metadata: { name: "node-1", uid: "node-uid", ...metadata }, spec };
}

export function aPod(nodeName: string, more: JsonObject = {}): JsonObject {
  return { kind: "Pod", metadata: { name: "web", namespace: "default", uid: "pod-uid", ...more }, spec: { nodeName } };
}

export function aMirrorPod(metadata: JsonObject = {}, spec: JsonObject = {}): JsonObject {
  const annotations = { "kubernetes.io/config.mirror": "hash" };
  return {
    kind: "Pod",
    metadata: { name: "static", namespace: "default", annotations, ownerReferences: [owner], ...metadata },
    spec: { nodeName: "node-1", ...spec },
  };
}

export function aToken(boundObjectRef: JsonObject | undefined, audiences: string[] = []): JsonObject {
  return { kind: "TokenRequest", metadata: {}, spec: { audiences, ...(boundObjectRef && { boundObjectRef }) } };
}

export function withProjections(pod: JsonObject, tokens: readonly { audience?: string }[]): JsonObject {
  const sources = tokens.map((token) => ({ serviceAccountToken: { path: "token", ...token } }));
  return { ...pod, spec: { ...(pod["spec"] as JsonObject), volumes: [{ name: "v", projected: { sources } }] } };
}

export const withAddress = (address: string): JsonObject => ({
  ...aNode(),
  status: { addresses: [{ type: "InternalIP", address }] },
});
