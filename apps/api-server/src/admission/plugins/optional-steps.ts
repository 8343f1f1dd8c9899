import {
  type ApiError,
  forbidden,
  isExtendedResource,
  type Pod,
  pods,
  sameJson,
  type Service,
  services,
  type Toleration,
  hostnameLabel,
} from "@kintsugi/api";
import { type AdmissionRequest, type AdmissionStep, createdObject } from "../admission.ts";

const podWrites = { operations: ["create", "update"], resources: [pods], subresources: [""] } as const;

/**
 * A pod that requests `example.com/device` tolerates nodes that are reserved for it by the taint of
 * that name (plugin/pkg/admission/extendedresourcetoleration).
 */
export const extendedResourceToleration: AdmissionStep = {
  name: "ExtendedResourceToleration",
  handles: podWrites,
  mutate: ({ object }) => {
    const { spec } = (object ?? {}) as Partial<Pod>;
    if (spec === undefined) return;
    const requested = [...spec.containers, ...(spec.initContainers ?? [])].flatMap(({ resources }) =>
      Object.keys(resources?.requests ?? {}),
    );
    for (const key of [...new Set(requested)].filter(isExtendedResource).toSorted()) {
      const wanted: Toleration = { key, operator: "Exists", effect: "NoSchedule" };
      if (spec.tolerations?.some((toleration) => sameJson(toleration, wanted)) === true) continue;
      spec.tolerations = [...(spec.tolerations ?? []), wanted];
    }
  },
};

/**
 * Every image is pulled with the pod's own credentials, so a pod cannot use a private image that
 * another pod pulled to its node (plugin/pkg/admission/alwayspullimages).
 */
export const alwaysPullImages: AdmissionStep = {
  name: "AlwaysPullImages",
  handles: { operations: ["create", "update"], resources: [pods], subresources: ["", "ephemeralcontainers"] },
  mutate: (request) => {
    if (isSameImages(request)) return;
    for (const container of containersOf(request.object)) container.imagePullPolicy = "Always";
  },
  validate: (request) => {
    if (isSameImages(request)) return undefined;
    const other = containersOf(request.object).find(({ imagePullPolicy }) => imagePullPolicy !== "Always");
    return other && refusal(request, `container ${other.name}: Unsupported value: imagePullPolicy must be Always`);
  },
};

/** Upstream skips an update that does not change an image. */
function isSameImages({ operation, object, before }: AdmissionRequest): boolean {
  if (operation !== "update") return false;
  const known = new Set(containersOf(before).map(({ image }) => image));
  return containersOf(object).every(({ image }) => known.has(image));
}

function containersOf(object: AdmissionRequest["object"]) {
  const { spec } = (object ?? {}) as Partial<Pod>;
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? []), ...(spec?.ephemeralContainers ?? [])];
}

/**
 * Rejects a Service with external addresses, which the cluster would route to it (CVE-2020-8554).
 */
export const denyServiceExternalIps: AdmissionStep = {
  name: "DenyServiceExternalIPs",
  handles: { operations: ["create", "update"], resources: [services], subresources: [""] },
  validate: (request) => {
    const old = new Set(((request.before ?? {}) as Partial<Service>).spec?.externalIPs);
    const added = (((request.object ?? {}) as Partial<Service>).spec?.externalIPs ?? []).some((ip) => !old.has(ip));
    return added ? refusal(request, "Use of external IPs is denied by admission control") : undefined;
  },
};

/** Required anti-affinity may exclude other pods from a node, but not from a whole zone. */
export const limitPodHardAntiAffinityTopology: AdmissionStep = {
  name: "LimitPodHardAntiAffinityTopology",
  handles: { operations: ["create"], resources: [pods], subresources: [""] },
  validate: (request) => {
    const terms = createdObject(request, pods)?.spec?.affinity?.podAntiAffinity;
    const other = terms?.requiredDuringSchedulingIgnoredDuringExecution?.find(
      ({ topologyKey }) => topologyKey !== hostnameLabel,
    );
    return (
      other &&
      refusal(
        request,
        `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${other.topologyKey} but only key ${hostnameLabel} is allowed`,
      )
    );
  },
};

function refusal({ resource, name }: AdmissionRequest, because: string): ApiError {
  return forbidden(resource.type, name, because);
}
