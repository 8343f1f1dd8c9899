import { createHash } from "node:crypto";
import {
  applyDefaults,
  asRefusal,
  configAnnotations,
  parseObject,
  type Pod,
  podKind,
  referencesOf,
  validateCreate,
} from "@kintsugi/api";
import { parse } from "yaml";
import { type BoundPod, boundPod, manifestPath } from "../../model/bound-pod.ts";
import type { Manifest } from "./manifest-source.ts";

/** The manifest cannot become a pod; the message has the reason. */
class ManifestError extends Error {
  override readonly name = "ManifestError";
}

/**
 * The pod that a manifest describes, named after its node and bound to it (config/common.go
 * applyDefaults). Its uid is a hash of all inputs, so a changed text is a new pod.
 * @throws ManifestError
 */
export function staticPodOf({ path, text }: Manifest, nodeName: string): BoundPod {
  const pod = decode(text);
  const { name = "", namespace, annotations } = pod.metadata;
  const tolerations = [...(pod.spec?.tolerations ?? []), { operator: "Exists", effect: "NoExecute" } as const];
  const named: Pod = {
    ...pod,
    metadata: {
      ...pod.metadata,
      name: name === "" ? "" : `${name}-${nodeName.toLowerCase()}`,
      namespace: namespace === undefined || namespace === "" ? "default" : namespace,
    },
    spec: { containers: [], ...pod.spec, nodeName, tolerations },
    status: { phase: "Pending" },
  };
  const uid = pod.metadata.uid || hash([JSON.stringify(named), `host:${nodeName}`, `file:${path}`]);
  named.metadata.uid = uid;
  named.metadata.annotations = {
    ...annotations,
    [configAnnotations.hash]: uid,
    [configAnnotations.source]: "file",
  };
  const complete = applyDefaults(podKind, named);
  const refusal = asRefusal(podKind.type, complete.metadata.name ?? "", validateCreate(podKind, complete));
  if (refusal) throw new ManifestError(refusal.message);
  refuseReferences(complete);
  return { ...boundPod(complete), [manifestPath]: path };
}

function decode(text: string): Pod {
  try {
    const body: unknown = parse(text);
    const { apiVersion, kind } = (body ?? {}) as { apiVersion?: unknown; kind?: unknown };
    if (apiVersion !== "v1" || kind !== "Pod") {
      throw new ManifestError(`it is not a Pod of v1: apiVersion ${describe(apiVersion)}, kind ${describe(kind)}`);
    }
    return parseObject(podKind.schema, podKind.type, body);
  } catch (error) {
    throw error instanceof ManifestError ? error : new ManifestError((error as Error).message);
  }
}

/** A static pod has no account in the API, so it may not refer to API objects. */
function refuseReferences(pod: Pod): void {
  const { serviceAccount, secrets, configMaps, persistentVolumeClaims } = referencesOf(pod);
  const hasDevices = (pod.spec?.resourceClaims ?? []).length > 0;
  const what =
    serviceAccount !== ""
      ? "serviceaccounts"
      : secrets.size > 0
        ? "secrets"
        : configMaps.size > 0
          ? "configmaps"
          : persistentVolumeClaims.size > 0
            ? "persistentvolumeclaims"
            : hasDevices
              ? "resourceclaims"
              : undefined;
  if (what !== undefined) throw new ManifestError(`static pods may not reference ${what}`);
}

function hash(parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 32);
}

function describe(value: unknown): string {
  return value === undefined ? "missing" : JSON.stringify(value);
}
