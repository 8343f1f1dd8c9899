import type { Endpoint, EndpointPort, EndpointSlice, Service, ServiceSpec } from "@kintsugi/api";

export function aService(spec: ServiceSpec = {}, metadata: Service["metadata"] = {}): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace: "ns", name: "web", ...metadata },
    spec: { clusterIP: "10.96.0.10", ports: [{ port: 80, protocol: "TCP" }], ...spec },
  };
}

export interface SliceParts {
  service?: string;
  name?: string;
  ports?: EndpointPort[];
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  addressType?: EndpointSlice["addressType"];
}

export function aSlice(endpoints: Endpoint[], parts: SliceParts = {}): EndpointSlice {
  const { service = "web", name = "web-abcde", ports = [{ name: "", port: 8080, protocol: "TCP" }] } = parts;
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      namespace: "ns",
      name,
      labels: { "kubernetes.io/service-name": service, ...parts.labels },
      ...(parts.annotations === undefined ? {} : { annotations: parts.annotations }),
    },
    addressType: parts.addressType ?? "IPv4",
    endpoints,
    ports,
  };
}

/** "10.1.0.1@node-1": ready; with a leading "-" not ready; with "~" terminating, but serving. */
export function anEndpoint(text: string): Endpoint {
  const [, state = "", address = "", nodeName = "node-1"] = /^([-~]?)([^@]+)(?:@(.+))?$/.exec(text) ?? [];
  const conditions = {
    ready: state === "",
    serving: state !== "-",
    terminating: state === "~",
  };
  return { addresses: [address], nodeName, conditions };
}

/** A slice with these endpoints, each in the notation of `anEndpoint`. */
export const slice = (...texts: string[]) => aSlice(texts.map(anEndpoint));
