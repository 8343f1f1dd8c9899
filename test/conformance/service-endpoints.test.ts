import { expect } from "vitest";
import { type AreaTest, describeArea } from "./area.ts";
import { type ConformanceClient, eventually, expectStatus, type Json } from "./conformance-cluster.ts";

/* oxlint-disable vitest/no-standalone-expect -- describeArea makes tests of these functions. */

// Endpoints and EndpointSlices of Services, for pods and for the API server.

const slicesOf = (namespace: string, service: string) =>
  `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices?labelSelector=kubernetes.io/service-name%3D${service}`;

/** The addresses with their ports, as in Endpoints and slices. */
const inEndpoints = ({ subsets }: Json): string[] =>
  (subsets ?? [])
    .flatMap(({ addresses, ports }: Json) =>
      (addresses ?? []).flatMap(({ ip }: Json) => (ports ?? []).map(({ port }: Json) => `${ip}:${port}`)),
    )
    .toSorted();
const inSlices = ({ items }: Json): string[] =>
  (items ?? [])
    .flatMap(({ endpoints, ports }: Json) =>
      (endpoints ?? []).flatMap(({ addresses }: Json) =>
        (ports ?? []).map(({ port }: Json) => `${addresses[0]}:${port}`),
      ),
    )
    .toSorted();

/** Makes pods with ports of one name, and Services that match one of them, both and neither. */
async function podsAndServices(api: ConformanceClient) {
  const namespace = await api.namespace("endpoints");
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const create = (name: string, ports: Json) =>
    expectStatus(
      201,
      api.post(pods, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name, labels: { [name]: "on", shared12: "on" } },
        spec: { containers: [{ name: "container1", image: "nginx", ports }] },
      }),
    );
  await create("pod1", [{ name: "example-name", containerPort: 3000 }]);
  await create("pod2", [
    { name: "example-name", containerPort: 3001 },
    { name: "other-port", containerPort: 3002 },
  ]);
  const services = [
    ["example-int-port", "pod1", 3000],
    ["example-named-port", "shared12", "example-name"],
    ["example-no-match", "pod3", 8080],
  ] as const;
  for (const [name, label, targetPort] of services) {
    const ports = [{ name: "example", port: 80, targetPort, protocol: "TCP" }];
    const spec = { selector: { [label]: "on" }, publishNotReadyAddresses: true, ports };
    const service = { apiVersion: "v1", kind: "Service", metadata: { name }, spec };
    await expectStatus(201, api.post(`/api/v1/namespaces/${namespace}/services`, service));
  }
  const addresses: string[] = [];
  for (const name of ["pod1", "pod2"]) {
    const { status } = await eventually(
      () => expectStatus(200, api.get(`${pods}/${name}`)),
      (pod) => (pod.status?.podIPs ?? []).length > 0,
    );
    addresses.push(status.podIP);
  }
  const [first, second] = addresses;
  return {
    namespace,
    wanted: {
      "example-int-port": [`${first}:3000`],
      "example-named-port": [`${first}:3000`, `${second}:3001`].toSorted(),
      "example-no-match": [],
    },
  };
}

const test = (tier: AreaTest["tier"], codename: string, check: AreaTest["check"]): AreaTest => ({
  tier,
  codename,
  check,
});

const tests: AreaTest[] = [
  test("A", "[sig-network] API Server should provide secure master service [Conformance]", async (api) => {
    const { spec } = await expectStatus(200, api.get("/api/v1/namespaces/default/services/kubernetes"));
    expect(spec.ports.some(({ name, port }: Json) => name === "https" && port === 443)).toBe(true);
  }),
  test(
    "A",
    "[sig-network] API Server should have Endpoints and EndpointSlices pointing to API Server [Conformance]",
    async (api) => {
      const endpoints = await expectStatus(200, api.get("/api/v1/namespaces/default/endpoints/kubernetes"));
      const slices = await expectStatus(200, api.get(slicesOf("default", "kubernetes")));
      expect(inEndpoints(endpoints).length).toBeGreaterThan(0);
      expect(inSlices(slices)).toEqual(inEndpoints(endpoints));
      expect(slices.items[0].addressType).toMatch(/^IPv[46]$/);
    },
  ),
  test(
    "C",
    "[sig-network] EndpointsController should create Endpoints for Pods matching a Service [Conformance]",
    async (api) => {
      const { namespace, wanted } = await podsAndServices(api);
      for (const [service, addresses] of Object.entries(wanted)) {
        const path = `/api/v1/namespaces/${namespace}/endpoints/${service}`;
        await eventually(
          () => api.get(path),
          ({ status, json }) => status === 200 && inEndpoints(json).join() === addresses.join(),
        );
      }
    },
  ),
  test(
    "C",
    "[sig-network] EndpointSlice should create Endpoints and EndpointSlices for Pods matching a Service [Conformance]",
    async (api) => {
      const { namespace, wanted } = await podsAndServices(api);
      const sliceCounts = { "example-int-port": 1, "example-named-port": 2, "example-no-match": 1 };
      const expectSlices = async (service: keyof typeof wanted) => {
        const found = await eventually(
          () => expectStatus(200, api.get(slicesOf(namespace, service))),
          (list) => list.items?.length === sliceCounts[service] && inSlices(list).join() === wanted[service].join(),
        );
        for (const { metadata, addressType } of found.items) {
          expect(metadata.labels["endpointslice.kubernetes.io/managed-by"]).toBe("endpointslice-controller.k8s.io");
          expect(metadata.ownerReferences[0]).toMatchObject({ kind: "Service", name: service });
          expect(addressType).toBe("IPv4");
        }
        const endpoints = `/api/v1/namespaces/${namespace}/endpoints/${service}`;
        await eventually(
          () => api.get(endpoints),
          ({ status, json }) => status === 200 && inEndpoints(json).join() === wanted[service].join(),
        );
      };
      await expectSlices("example-int-port");
      await expectSlices("example-named-port");
      await expectSlices("example-no-match");
      // Slices that were deleted are created again.
      await expectStatus(200, api.delete(slicesOf(namespace, "example-named-port")));
      await expectSlices("example-named-port");
    },
  ),
];

describeArea(tests);
