import { builtInKinds, completeStatus } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { decodeEntry, encodeObject } from "../resources/encoding.ts";
import type { KubeObject } from "../resources/resource.ts";
import { TestServer } from "../testing/test-server.ts";

/** The status of a new object in upstream, as the JSON of its Go types. */
const written: Readonly<Record<string, { path: string; body: object; status: object }>> = {
  Ingress: {
    path: "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
    body: { spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } } },
    status: { loadBalancer: {} },
  },
  ResourceClaim: {
    path: "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims",
    body: { spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "d.example.com" } }] } } },
    status: {},
  },
  Service: {
    path: "/api/v1/namespaces/default/services",
    body: { spec: { ports: [{ port: 80 }] } },
    status: { loadBalancer: {} },
  },
  PriorityLevelConfiguration: {
    path: "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
    body: { spec: { type: "Limited", limited: { nominalConcurrencyShares: 1, limitResponse: { type: "Reject" } } } },
    status: {},
  },
  FlowSchema: {
    path: "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
    body: { spec: { priorityLevelConfiguration: { name: "x" } } },
    status: {},
  },
  Node: {
    path: "/api/v1/nodes",
    body: {},
    status: {
      daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
      nodeInfo: {
        machineID: "",
        systemUUID: "",
        bootID: "",
        kernelVersion: "",
        osImage: "",
        containerRuntimeVersion: "",
        kubeletVersion: "",
        kubeProxyVersion: "",
        operatingSystem: "",
        architecture: "",
      },
    },
  },
  ResourceQuota: { path: "/api/v1/namespaces/default/resourcequotas", body: { spec: {} }, status: {} },
  VolumeAttachment: {
    path: "/apis/storage.k8s.io/v1/volumeattachments",
    body: { spec: { attacher: "a.example.com", nodeName: "n", source: { persistentVolumeName: "v" } } },
    status: { attached: false },
  },
  PodDisruptionBudget: {
    path: "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
    body: { spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } } },
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  },
};

describe("a new object has the status that upstream writes", () => {
  test.each(Object.entries(written))("of a %s", async (_kind, { path, body, status }) => {
    await using server = await TestServer.start();
    const made = await server.post(path, { metadata: { name: "one" }, ...body });
    expect([made.status, made.json.status]).toEqual([201, status]);
    const [key = ""] = Object.keys(status);
    // A JSON patch can test every field.
    const patched = await server.patch(
      `${path}/one/status`,
      [
        {
          op: "test",
          path: `/status${key && `/${key}`}`,
          value: key === "" ? {} : (status as Record<string, unknown>)[key],
        },
      ],
      {
        contentType: "application/json-patch+json",
      },
    );
    expect(patched.status).toBe(200);
  });
});

test("each kind with its own status has a complete status", () => {
  const kinds = builtInKinds.filter(
    ({ subresources, view, answered }) => subresources.includes("status") && view === undefined && answered !== true,
  );
  expect(kinds.length).toBeGreaterThan(20);
  for (const { type } of kinds) {
    const object: { metadata: object; status?: unknown } = { metadata: {} };
    completeStatus(type, object as never);
    expect([type.resource, typeof object.status]).toEqual([type.resource, "object"]);
  }
});

test("an object that an earlier version stored without a status is read with a status", async () => {
  await using server = await TestServer.start();
  const path = "/apis/networking.k8s.io/v1/namespaces/default/ingresses";
  await server.post(path, {
    metadata: { name: "old" },
    spec: { defaultBackend: { service: { name: "a", port: { number: 1 } } } },
  });
  await server.store.update("networking.k8s.io/ingresses/default/old", (current) => {
    if (current === undefined) throw new Error("it is there");
    const { status: _, ...object } = decodeEntry(current) as KubeObject & { status?: unknown };
    return { put: encodeObject(object), index: current.index, result: undefined };
  });
  const status = { loadBalancer: {} };
  expect((await server.get(`${path}/old`)).json.status).toEqual(status);
  expect((await server.get(path)).json.items).toMatchObject([{ status }]);
});
