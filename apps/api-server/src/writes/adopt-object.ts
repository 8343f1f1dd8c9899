import { applyDefaults } from "@kintsugi/api";
import type { AdmissionRequest } from "../admission/admission.ts";
import { decodeLeft } from "../request/decode-left.ts";
import { assertMayGrow } from "../resources/object-size.ts";
import type { KubeObject } from "../resources/resource.ts";

/**
 * Parses the object that an asynchronous step produced by the kind's schema, and adds defaults, so
 * that later steps and validation see the object as if the client had sent it.
 * @throws ApiError when it is not an object of the kind. @throws Error when it is another object.
 */
export function adoptObject(request: AdmissionRequest, left: KubeObject): KubeObject {
  const { resource, name, namespace } = request;
  const object = decodeLeft(left, resource);
  const { metadata } = object;
  assertMayGrow(resource, object, request.before);
  // The write's key and its preconditions have been read from these fields.
  if (metadata.name !== name) throw new Error(`metadata.name was changed from ${name} to ${metadata.name ?? ""}`);
  if ((metadata.namespace ?? "") !== (resource.type.namespaced ? namespace : "")) {
    throw new Error(`metadata.namespace was changed from ${namespace} to ${metadata.namespace ?? ""}`);
  }
  const { resourceVersion } = request.object?.metadata ?? {};
  if (resourceVersion === undefined) delete metadata.resourceVersion;
  else metadata.resourceVersion = resourceVersion;
  applyDefaults(resource.kind, object);
  return object;
}
