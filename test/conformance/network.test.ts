import { expect } from "vitest";
import { type AreaTest, byConditions, describeArea, operationsTests, type OperationsRow, typed } from "./area.ts";
import { eventually, expectStatus, type Json } from "./conformance-cluster.ts";

/* oxlint-disable vitest/no-standalone-expect -- describeArea makes tests of these functions. */

const rows: OperationsRow[] = [
  [
    "[sig-network] EndpointSlice should support creating EndpointSlice API operations [Conformance]",
    "A",
    {
      version: "/apis/discovery.k8s.io/v1",
      resource: "endpointslices",
      template: typed("discovery.k8s.io/v1", "EndpointSlice", {
        addressType: "IPv4",
        endpoints: [{ addresses: ["1.2.3.4", "5.6.7.8"] }],
      }),
      change: (object) => {
        object.endpoints[0].addresses = ["10.1.2.3"];
      },
    },
    true,
  ],
  [
    "[sig-network] ServiceCIDR and IPAddress API should support IPAddress API operations [Conformance]",
    "A",
    {
      version: "/apis/networking.k8s.io/v1",
      resource: "ipaddresses",
      nameOf: (index) => `192.168.1.${index}`,
      template: typed("networking.k8s.io/v1", "IPAddress", {
        spec: { parentRef: { resource: "services", name: "foo", namespace: "default" } },
      }),
    },
  ],
  [
    "[sig-network] ServiceCIDR and IPAddress API should support ServiceCIDR API operations [Conformance]",
    "A",
    {
      version: "/apis/networking.k8s.io/v1",
      resource: "servicecidrs",
      template: typed("networking.k8s.io/v1", "ServiceCIDR", { spec: { cidrs: ["10.1.0.0/24"] } }),
      status: byConditions("PatchStatusFailed", "UpdateStatusFailed"),
      lingers: true,
    },
  ],
];

const service = (name: string, spec: Json, labels: Json = {}) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, labels },
  spec: { ports: [{ name: "http", port: 80, targetPort: 80, protocol: "TCP" }], ...spec },
});
const namesOf = ({ items }: Json) => (items ?? []).map(({ metadata }: Json) => metadata.name);

const others: AreaTest[] = [
  {
    tier: "A",
    codename: "[sig-network] Endpoints should test the lifecycle of an Endpoint [Conformance]",
    check: async (api) => {
      const endpoints = `/api/v1/namespaces/${await api.namespace("endpoint")}/endpoints`;
      const subsets = [{ addresses: [{ ip: "10.0.0.24" }], ports: [{ name: "http", port: 80, protocol: "TCP" }] }];
      const labels = { "testendpoint-static": api.encoding };
      const created = await expectStatus(
        201,
        api.post(endpoints, {
          apiVersion: "v1",
          kind: "Endpoints",
          metadata: { name: "testservice", labels },
          subsets,
        }),
      );
      const selector = `labelSelector=testendpoint-static%3D${api.encoding}`;
      const all = await expectStatus(200, api.get(`/api/v1/endpoints?${selector}`));
      expect(namesOf(all)).toEqual(["testservice"]);
      const path = `${endpoints}/testservice`;
      created.metadata.labels["test-service"] = "updated";
      expect((await expectStatus(200, api.put(path, created))).metadata.labels).toMatchObject({
        "test-service": "updated",
      });
      const patch = {
        metadata: { labels: { "test-service": "patched" } },
        subsets: [{ addresses: [{ ip: "10.0.0.25" }], ports: [{ name: "http-test", port: 8080 }] }],
      };
      const patched = await expectStatus(200, api.patch(path, patch, "strategic"));
      expect(patched.metadata.labels).toMatchObject({ "test-service": "patched" });
      expect(patched.subsets[0]).toMatchObject({
        addresses: [{ ip: "10.0.0.25" }],
        ports: [{ name: "http-test", port: 8080 }],
      });
      await expectStatus(200, api.delete(`${endpoints}?${selector}`));
      const from = `${endpoints}?${selector}&resourceVersion=${all.metadata.resourceVersion}`;
      const events = await api.watchUntil(from, (seen) => seen.some(({ type }) => type === "DELETED"));
      expect(events.map(({ type }) => type)).toEqual(["MODIFIED", "MODIFIED", "DELETED"]);
      expect(namesOf(await expectStatus(200, api.get(`${endpoints}?${selector}`)))).toEqual([]);
    },
  },
  {
    tier: "A",
    codename: "[sig-network] Services should complete a service status lifecycle [Conformance]",
    check: async (api) => {
      const services = `/api/v1/namespaces/${await api.namespace("svcstatus")}/services`;
      await expectStatus(201, api.post(services, service("test-service", { type: "LoadBalancer" })));
      const path = `${services}/test-service/status`;
      const patch = {
        metadata: { annotations: { patchedstatus: "true" } },
        status: { loadBalancer: { ingress: [{ ip: "203.0.113.1" }] } },
      };
      const patched = await expectStatus(200, api.patch(path, patch));
      expect(patched.metadata.annotations).toMatchObject({ patchedstatus: "true" });
      expect(patched.status.loadBalancer.ingress[0].ip).toBe("203.0.113.1");
      const body = await expectStatus(200, api.get(path));
      const condition = {
        type: "StatusUpdate",
        status: "True",
        reason: "E2E",
        message: "Set from e2e test",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      };
      body.status.conditions = [...(body.status.conditions ?? []), condition];
      const updated = await expectStatus(200, api.put(path, body));
      expect(updated.status.conditions).toContainEqual(
        expect.objectContaining({ type: "StatusUpdate", reason: "E2E" }),
      );
      const watched = { metadata: { labels: { "test-service-static": "true" } } };
      expect((await expectStatus(200, api.patch(`${services}/test-service`, watched))).metadata.labels).toMatchObject(
        watched.metadata.labels,
      );
      await expectStatus(200, api.delete(`${services}/test-service`));
      await eventually(
        () => api.get(`${services}/test-service`),
        ({ status }) => status === 404,
      );
    },
  },
  {
    tier: "A",
    codename: "[sig-network] Services should delete a collection of services [Conformance]",
    check: async (api) => {
      const services = `/api/v1/namespaces/${await api.namespace("collection")}/services`;
      const labels = { "e2e-test-service": "delete" };
      for (const index of [1, 2, 3])
        await expectStatus(201, api.post(services, service(`e2e-svc-a-${index}`, {}, labels)));
      await expectStatus(201, api.post(services, service("e2e-svc-b", {})));
      expect(namesOf(await expectStatus(200, api.get(services)))).toHaveLength(4);
      await expectStatus(200, api.delete(`${services}?labelSelector=e2e-test-service%3Ddelete`));
      expect(namesOf(await expectStatus(200, api.get(services)))).toEqual(["e2e-svc-b"]);
    },
  },
  {
    tier: "B",
    codename:
      "[sig-network] EndpointSliceMirroring should mirror a custom Endpoints resource through create update and delete [Conformance]",
    check: async (api) => {
      const namespace = await api.namespace("mirroring");
      await expectStatus(
        201,
        api.post(`/api/v1/namespaces/${namespace}/services`, service("example-custom-endpoints", {})),
      );
      const path = `/api/v1/namespaces/${namespace}/endpoints`;
      const subsets = (ip: string) => [{ addresses: [{ ip }], ports: [{ port: 80, protocol: "TCP" }] }];
      const metadata = { name: "example-custom-endpoints" };
      const created = await expectStatus(
        201,
        api.post(path, { apiVersion: "v1", kind: "Endpoints", metadata, subsets: subsets("10.1.2.3") }),
      );
      const slices = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices?labelSelector=kubernetes.io/service-name%3D${metadata.name}`;
      const addresses = ({ items }: Json) =>
        (items ?? []).flatMap(({ endpoints }: Json) => (endpoints ?? []).flatMap((each: Json) => each.addresses));
      const listed = await eventually(
        () => expectStatus(200, api.get(slices)),
        (list) => addresses(list).join() === "10.1.2.3",
      );
      expect(listed.items[0].metadata.labels["endpointslice.kubernetes.io/managed-by"]).toBe(
        "endpointslicemirroring-controller.k8s.io",
      );
      expect(listed.items[0].ports[0]).toMatchObject({ port: 80, protocol: "TCP" });
      await expectStatus(200, api.put(`${path}/${metadata.name}`, { ...created, subsets: subsets("10.2.3.4") }));
      await eventually(
        () => expectStatus(200, api.get(slices)),
        (list) => addresses(list).join() === "10.2.3.4",
      );
      await expectStatus(200, api.delete(`${path}/${metadata.name}`));
      await eventually(
        () => expectStatus(200, api.get(slices)),
        ({ items }) => (items ?? []).length === 0,
      );
    },
  },
  ...(
    [
      "[sig-network] EndpointsController should create and delete Endpoints for a Service with a selector that matches no pods [Conformance]",
      "[sig-network] EndpointSlice should create and delete EndpointSlices for a Service with a selector that matches no pods [Conformance]",
    ] as const
  ).map((codename): AreaTest => ({
    tier: "B",
    codename,
    check: async (api) => {
      const namespace = await api.namespace("empty");
      const services = `/api/v1/namespaces/${namespace}/services`;
      await expectStatus(
        201,
        api.post(
          services,
          service("example-empty-selector", {
            selector: { "does-not-match-anything": "endpoints-and-endpoint-slices-should-still-be-created" },
          }),
        ),
      );
      const endpoints = `/api/v1/namespaces/${namespace}/endpoints/example-empty-selector`;
      const slices = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices?labelSelector=kubernetes.io/service-name%3Dexample-empty-selector`;
      await eventually(
        () => api.get(endpoints),
        ({ status }) => status === 200,
      );
      expect((await expectStatus(200, api.get(endpoints))).subsets ?? []).toEqual([]);
      const found = await eventually(
        () => expectStatus(200, api.get(slices)),
        ({ items }) => items?.length === 1,
      );
      expect(found.items[0].endpoints ?? []).toEqual([]);
      await expectStatus(200, api.delete(`${services}/example-empty-selector`));
      await eventually(
        () => api.get(endpoints),
        ({ status }) => status === 404,
      );
      await eventually(
        () => expectStatus(200, api.get(slices)),
        ({ items }) => (items ?? []).length === 0,
      );
    },
  })),
];

describeArea([...operationsTests(rows), ...others]);
