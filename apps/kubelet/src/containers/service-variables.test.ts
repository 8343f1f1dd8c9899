import type { Service, ServicePort } from "@kintsugi/api";
import { expect, test } from "vitest";
import { serviceVariables } from "./service-variables.ts";

const service = (namespace: string, name: string, clusterIP: string, ports: ServicePort[]): Service => ({
  metadata: { namespace, name },
  spec: { clusterIP, ports },
});
const http: ServicePort = { port: 80, protocol: "TCP" };
const pod = { namespace: "shop", enableServiceLinks: true };
const api = { host: "10.0.0.1", port: "6443" };
const names = (variables: [string, string][]) => variables.map(([name]) => name);

test("a Service of the pod's namespace is told as upstream and Docker's links do", () => {
  const ports: ServicePort[] = [
    { name: "http", port: 80, protocol: "TCP" },
    { name: "dns-alt", port: 53, protocol: "UDP" },
  ];
  const variables = serviceVariables([service("shop", "my-web", "10.96.0.7", ports)], pod, undefined);
  expect(Object.fromEntries(variables)).toEqual({
    MY_WEB_SERVICE_HOST: "10.96.0.7",
    MY_WEB_SERVICE_PORT: "80",
    MY_WEB_SERVICE_PORT_HTTP: "80",
    MY_WEB_SERVICE_PORT_DNS_ALT: "53",
    MY_WEB_PORT: "tcp://10.96.0.7:80",
    MY_WEB_PORT_80_TCP: "tcp://10.96.0.7:80",
    MY_WEB_PORT_80_TCP_PROTO: "tcp",
    MY_WEB_PORT_80_TCP_PORT: "80",
    MY_WEB_PORT_80_TCP_ADDR: "10.96.0.7",
    MY_WEB_PORT_53_UDP: "udp://10.96.0.7:53",
    MY_WEB_PORT_53_UDP_PROTO: "udp",
    MY_WEB_PORT_53_UDP_PORT: "53",
    MY_WEB_PORT_53_UDP_ADDR: "10.96.0.7",
  });
});

test("addresses of IPv6 stand in brackets where a port follows", () => {
  const variables = new Map(serviceVariables([service("shop", "web", "fd00::7", [http])], pod, undefined));
  expect(variables.get("WEB_SERVICE_HOST")).toBe("fd00::7");
  expect(variables.get("WEB_PORT")).toBe("tcp://[fd00::7]:80");
});

test("Services of other namespaces, without an address or without ports are not told", () => {
  const services = [
    service("other", "a", "10.96.0.1", [http]),
    service("shop", "b", "None", [http]),
    service("shop", "c", "", [http]),
    service("shop", "d", "10.96.0.4", []),
  ];
  expect(serviceVariables(services, pod, undefined)).toEqual([]);
});

test("where the API is stands in every pod, and is the server itself also beside the Service of that name", () => {
  const services = [
    service("default", "kubernetes", "10.96.0.1", [http]),
    service("default", "web", "10.96.0.2", [http]),
  ];
  const inDefault = { namespace: "default", enableServiceLinks: true };
  const variables = serviceVariables(services, inDefault, api);
  expect(Object.fromEntries(variables)).toMatchObject({
    KUBERNETES_SERVICE_HOST: "10.0.0.1",
    KUBERNETES_SERVICE_PORT: "6443",
    KUBERNETES_SERVICE_PORT_HTTPS: "6443",
    KUBERNETES_PORT: "tcp://10.0.0.1:6443",
    WEB_SERVICE_HOST: "10.96.0.2",
  });
  expect(names(variables)).not.toContain("KUBERNETES_PORT_80_TCP");
  const without = serviceVariables(services, { ...inDefault, enableServiceLinks: false }, api);
  expect(names(without).every((name) => name.startsWith("KUBERNETES_"))).toBe(true);
});
