import { sameJson } from "@kintsugi/api";
import { ensureObject, serverCall } from "../bootstrap/ensure-objects.ts";
import { decodeEntry } from "../resources/encoding.ts";
import { storeKey } from "../resources/keys.ts";
import type { KubeObject } from "../resources/resource.ts";
import type { ServerContext } from "../server-context.ts";
import type { ExtensionAuthentication } from "../server-options.ts";
import { update } from "../verbs/update.ts";

/**
 * Maintains the ConfigMap extension-apiserver-authentication of kube-system, by which other API
 * servers authenticate this server and its clients. Keys that other clients have added are
 * unchanged.
 */
export async function ensureExtensionAuthentication(
  context: ServerContext,
  { clientCa, requestHeader }: ExtensionAuthentication,
): Promise<void> {
  const data: Record<string, string> = { "client-ca-file": clientCa };
  if (requestHeader !== undefined) {
    Object.assign(data, {
      "requestheader-client-ca-file": requestHeader.ca,
      "requestheader-allowed-names": JSON.stringify(requestHeader.allowedNames),
      "requestheader-username-headers": '["X-Remote-User"]',
      "requestheader-uid-headers": '["X-Remote-Uid"]',
      "requestheader-group-headers": '["X-Remote-Group"]',
      "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
    });
  }
  const wanted = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "kube-system", name: "extension-apiserver-authentication" },
    data,
  };
  await ensureObject(context, wanted as KubeObject);
  const resource = context.registry.findByKind("v1", "ConfigMap");
  if (resource === undefined) return;
  const entry = context.store.find(storeKey(resource.type, "kube-system", wanted.metadata.name));
  if (entry === undefined) return;
  const current = decodeEntry(entry) as KubeObject & { data?: Record<string, string> };
  const next = { ...current, data: { ...current.data, ...data } };
  if (sameJson(next.data, current.data)) return;
  await update(context, serverCall(context, resource, { method: "PUT", object: next }));
}
