import {
  controllerReference,
  type EndpointSlice,
  headlessLabel,
  sameJson,
  type Service,
  serviceNameLabel,
  services,
  sliceManagerLabel,
} from "@kintsugi/api";
import { isHeadless } from "../../shared/service-endpoints/pod-endpoint.ts";
import { slicePrefix } from "../../shared/service-endpoints/slice-names.ts";

const controllerName = "endpointslice-controller.k8s.io";
const ownLabels = new Set([sliceManagerLabel, serviceNameLabel, headlessLabel]);

/** Returns the metadata of every new slice of the Service. */
export function sliceMetadata(service: Service): EndpointSlice["metadata"] {
  const { namespace } = service.metadata;
  return {
    generateName: slicePrefix(service.metadata.name ?? ""),
    ...(namespace === undefined ? {} : { namespace }),
    labels: sliceLabels(service),
    ownerReferences: [controllerReference(service, services)],
  };
}

/** Returns the labels of the Service, and the labels that name the slice's owner. */
export function sliceLabels(service: Service): Record<string, string> {
  return {
    ...mirrored(service.metadata.labels),
    ...(isHeadless(service) ? { [headlessLabel]: "" } : {}),
    [serviceNameLabel]: service.metadata.name ?? "",
    [sliceManagerLabel]: controllerName,
  };
}

/** Reports whether the slice has the labels of its Service. */
export function mirrorsLabels(slice: EndpointSlice, service: Service): boolean {
  return sameJson(mirrored(slice.metadata.labels), mirrored(service.metadata.labels));
}

export function isOwnedBy({ metadata }: EndpointSlice, service: Service): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ uid, kind, apiVersion }) => uid === service.metadata.uid && kind === "Service" && apiVersion === "v1",
  );
}

/** The key of the slice's Service; undefined where another controller owns the slice. */
export function serviceKeyOf({ metadata }: EndpointSlice): string | undefined {
  const { namespace = "", labels = {} } = metadata;
  const name = labels[serviceNameLabel] ?? "";
  return name === "" || labels[sliceManagerLabel] !== controllerName ? undefined : `${namespace}/${name}`;
}

function mirrored(labels: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !ownLabels.has(key)));
}
