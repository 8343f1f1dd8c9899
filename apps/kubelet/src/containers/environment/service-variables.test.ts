import type { Service, ServicePort } from "@kintsugi/api";
import { expect, test } from "vitest";
import { serviceVariables } from "./service-variables.ts";

const service = (namespace: string, name: string, clusterIP: string, ports: ServicePort[]): Service => ({
  metadata: { namespace, name },
  spec: { clusterIP, ports },
});
const http: ServicePort = { port: 80, protocol: "TCP" };
const pod = { namespace: "shop", enableServiceLinks: true };
const server = { host: "10.0.0.1", port: "6443" };
const nowhere = { hasProxy: true, server: undefined };
const kubernetes = service("default", "kubernetes", "10.96.0.1", [{ name: "https", port: 443, protocol: "TCP" }]);
const names = (variables: [string, string][]) => variables.map(([name]) => name);

test("a Service of the pod's namespace is described in the variables of upstream and of Docker's links", () => {
  const ports: ServicePort[] = [
    { name: "http", port: 80, protocol: "TCP" },
    { name: "dns-alt", port: 53, protocol: "UDP" },
  ];
  const variables = serviceVariables([service("shop", "my-web", "10.96.0.7", ports)], pod, nowhere);
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

test("IPv6 addresses are in brackets if a port follows", () => {
  const variables = new Map(serviceVariables([service("shop", "web", "fd00::7", [http])], pod, nowhere));
  expect(variables.get("WEB_SERVICE_HOST")).toBe("fd00::7");
  expect(variables.get("WEB_PORT")).toBe("tcp://[fd00::7]:80");
});

test("Services of other namespaces, without an address or without ports are omitted", () => {
  const services = [
    service("other", "a", "10.96.0.1", [http]),
    service("shop", "b", "None", [http]),
    service("shop", "c", "", [http]),
    service("shop", "d", "10.96.0.4", []),
  ];
  expect(serviceVariables(services, pod, nowhere)).toEqual([]);
});

test("the API is the Service kubernetes in every pod, even if Service links are disabled", () => {
  const services = [kubernetes, service("shop", "web", "10.96.0.2", [http])];
  for (const namespace of ["shop", "default"]) {
    const way = { hasProxy: true, server };
    const without = serviceVariables(services, { namespace, enableServiceLinks: false }, way);
    expect(Object.fromEntries(without)).toEqual({
      KUBERNETES_SERVICE_HOST: "10.96.0.1",
      KUBERNETES_SERVICE_PORT: "443",
      KUBERNETES_SERVICE_PORT_HTTPS: "443",
      KUBERNETES_PORT: "tcp://10.96.0.1:443",
      KUBERNETES_PORT_443_TCP: "tcp://10.96.0.1:443",
      KUBERNETES_PORT_443_TCP_PROTO: "tcp",
      KUBERNETES_PORT_443_TCP_PORT: "443",
      KUBERNETES_PORT_443_TCP_ADDR: "10.96.0.1",
    });
    const linked = names(serviceVariables(services, { namespace, enableServiceLinks: true }, way));
    expect(linked.includes("WEB_SERVICE_HOST")).toBe(namespace === "shop");
    expect(linked.filter((name) => name === "KUBERNETES_SERVICE_HOST")).toHaveLength(1);
  }
});

test.each([
  { where: "no proxy leads to the Service", hasProxy: false, services: [kubernetes] },
  { where: "there is no such Service yet", hasProxy: true, services: [] },
  { where: "it has no address", hasProxy: true, services: [service("default", "kubernetes", "None", [http])] },
])("the API is the server itself where $where", ({ hasProxy, services }) => {
  const inDefault = { namespace: "default", enableServiceLinks: true };
  const variables = serviceVariables([...services, service("default", "web", "10.96.0.2", [http])], inDefault, {
    hasProxy,
    server,
  });
  expect(Object.fromEntries(variables)).toMatchObject({
    KUBERNETES_SERVICE_HOST: "10.0.0.1",
    KUBERNETES_SERVICE_PORT: "6443",
    KUBERNETES_SERVICE_PORT_HTTPS: "6443",
    KUBERNETES_PORT: "tcp://10.0.0.1:6443",
    WEB_SERVICE_HOST: "10.96.0.2",
  });
  expect(names(variables)).not.toContain("KUBERNETES_PORT_443_TCP");
});

test("a Service kubernetes of the pod's own namespace takes precedence, as in upstream's getServiceEnvVarMap", () => {
  const own = service("shop", "kubernetes", "10.96.0.9", [http]);
  for (const hasProxy of [true, false]) {
    const variables = serviceVariables([own, kubernetes], pod, { hasProxy, server });
    expect(names(variables).filter((name) => name === "KUBERNETES_SERVICE_HOST")).toHaveLength(1);
    expect(Object.fromEntries(variables)).toMatchObject({ KUBERNETES_SERVICE_HOST: "10.96.0.9" });
    expect(names(variables)).not.toContain("KUBERNETES_SERVICE_PORT_HTTPS");
  }
  const notLinked = serviceVariables(
    [own, kubernetes],
    { ...pod, enableServiceLinks: false },
    { hasProxy: true, server },
  );
  expect(new Map(notLinked).get("KUBERNETES_SERVICE_HOST")).toBe("10.96.0.1");
});
