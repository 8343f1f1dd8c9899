import {
  controllerReference,
  endpoints as endpointsType,
  type Endpoints,
  type EndpointSlice,
  serviceNameLabel,
  triggerTimeAnnotation,
  sliceManagerLabel,
} from "@kintsugi/api";
import { slicePrefix } from "../../shared/service-endpoints/slice-names.ts";

const controllerName = "endpointslicemirroring-controller.k8s.io";
/** These annotations describe the Endpoints themselves. */
const ownAnnotations = new Set(["kubectl.kubernetes.io/last-applied-configuration", triggerTimeAnnotation]);

/** Returns the metadata of every new slice of the Endpoints. */
export function mirrorMetadata(endpoints: Endpoints): EndpointSlice["metadata"] {
  const { name = "", namespace } = endpoints.metadata;
  return {
    generateName: slicePrefix(name),
    ...(namespace === undefined ? {} : { namespace }),
    labels: mirrorLabels(endpoints),
    annotations: mirrorAnnotations(endpoints),
    ownerReferences: [controllerReference(endpoints, endpointsType)],
  };
}

/**
 * Returns the labels of the Endpoints, and the labels that name the slice's Service and controller.
 */
export function mirrorLabels({ metadata: { name = "", labels } }: Endpoints): Record<string, string> {
  return { ...labels, [serviceNameLabel]: name, [sliceManagerLabel]: controllerName };
}

export function mirrorAnnotations({ metadata: { annotations = {} } }: Endpoints): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !ownAnnotations.has(key)));
}

export function isOwnMirror({ metadata }: EndpointSlice, endpoints: Endpoints): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ uid, kind }) => uid === endpoints.metadata.uid && kind === "Endpoints",
  );
}

/**
 * The key of the Endpoints that the slice mirrors; undefined where another controller owns the
 * slice.
 */
export function mirroredKeyOf({ metadata }: EndpointSlice): string | undefined {
  const { namespace = "", labels = {} } = metadata;
  const name = labels[serviceNameLabel] ?? "";
  return name === "" || labels[sliceManagerLabel] !== controllerName ? undefined : `${namespace}/${name}`;
}
