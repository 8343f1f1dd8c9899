import { strict as assert } from "node:assert";
import {
  apiVersionOf,
  collectFaults,
  invalid,
  type Scale,
  type ScaleAccess,
  scale as scaleType,
  validateScale,
} from "@kintsugi/api";
import type { KubeObject, Resource } from "../../resources/resource.ts";

/**
 * The scale of an object, in the form that clients of the subresource read and write and that
 * admission gets.
 */
export function scaleOf(resource: Resource, object: KubeObject): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const { wanted, actual, selector } = accessOf(resource).read(object);
  return {
    kind: scaleType.kind,
    apiVersion: apiVersionOf(scaleType),
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: wanted },
    status: { replicas: actual, selector },
  };
}

/**
 * Returns the object with the replicas of its scale. @throws ApiError for a scale that is invalid
 * for every object. Where only the scale is written, the rules of the object's kind are not
 * applied.
 */
export function withReplicas(resource: Resource, before: KubeObject, scale: Scale): KubeObject {
  const issues = collectFaults((faults) => validateScale(scale, faults));
  if (issues.length > 0) throw invalid(scaleType, before.metadata.name ?? "", issues);
  const { resourceVersion, uid } = scale.metadata;
  const after = structuredClone({ ...before, metadata: { ...before.metadata, resourceVersion, uid } });
  accessOf(resource).write(after, scale.spec?.replicas ?? 0);
  return after;
}

/** The registry rejects a kind that names this subresource without access to its scale. */
function accessOf({ kind }: Resource): ScaleAccess<KubeObject> {
  assert(kind.scale !== undefined, `${kind.type.kind} has no scale`);
  return kind.scale;
}
