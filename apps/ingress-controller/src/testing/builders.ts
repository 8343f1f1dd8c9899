import type { EndpointSlice, Ingress, IngressClass, IngressRule, Service } from "@kintsugi/api";
import { controllerName } from "../plan/owned-ingresses.ts";

export function anIngress(name: string, spec: object, metadata: object = {}): Ingress {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name, namespace: "shop", uid: `uid-${name}`, creationTimestamp: "2026-01-01T00:00:00Z", ...metadata },
    spec: { ingressClassName: "kintsugi", ...spec },
  };
}

/** Paths by their text: "=/exact" is an exact path, and "/prefix" a prefix of elements. */
export function aRule(host: string | undefined, paths: Readonly<Record<string, string>>): IngressRule {
  const entries = Object.entries(paths).map(([path, service]) => ({
    path: path.replace("=", ""),
    pathType: path.startsWith("=") ? "Exact" : "Prefix",
    backend: toService(service),
  }));
  return { ...(host === undefined ? {} : { host }), http: { paths: entries } };
}

/** A backend, "web:80" or "web:http". */
export function toService(text: string) {
  const [name = "", port = ""] = text.split(":");
  return { service: { name, port: /^\d+$/.test(port) ? { number: Number(port) } : { name: port } } };
}

export function aClass(name = "kintsugi", controller: string = controllerName): IngressClass {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "IngressClass",
    metadata: { name },
    spec: { controller },
  };
}

export function aService(name: string, changes: object = {}): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "shop" },
    spec: { type: "ClusterIP", ports: [{ name: "http", port: 80, targetPort: 8080, protocol: "TCP" }], ...changes },
  } as Service;
}

/** Endpoints by address: true when they are ready. */
export function aSlice(service: string, endpoints: Readonly<Record<string, boolean>>, port = 8080): EndpointSlice {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: `${service}-1`, namespace: "shop", labels: { "kubernetes.io/service-name": service } },
    addressType: "IPv4",
    ports: [{ name: "http", port, protocol: "TCP" }],
    endpoints: Object.entries(endpoints).map(([address, ready]) => ({ addresses: [address], conditions: { ready } })),
  };
}
