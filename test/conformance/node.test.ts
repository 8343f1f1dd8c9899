import { expect } from "vitest";
import { type AreaTest, describeArea, operationsTests, type OperationsRow, typed } from "./area.ts";
import { eventually, expectStatus, type Json } from "./conformance-cluster.ts";
import { runThroughLifecycle } from "./lifecycle.ts";

const devices = "resource.k8s.io/v1";

const rows: OperationsRow[] = [
  [
    "[sig-node] [DRA] CRUD Tests resource.k8s.io/v1 DeviceClass [Conformance]",
    "A",
    {
      version: `/apis/${devices}`,
      resource: "deviceclasses",
      template: typed(devices, "DeviceClass", { spec: {} }),
      change: (object) => {
        object.spec.selectors = [{ cel: { expression: "device.driver == 'dra.example.com'" } }];
      },
    },
  ],
  [
    "[sig-node] [DRA] CRUD Tests resource.k8s.io/v1 ResourceClaim [Conformance]",
    "A",
    {
      version: `/apis/${devices}`,
      resource: "resourceclaims",
      template: typed(devices, "ResourceClaim", {
        spec: { devices: { requests: [{ name: "req-0", exactly: { deviceClassName: "example", count: 1 } }] } },
      }),
      status: {
        patch: {
          allocation: {
            devices: { results: [{ request: "req-0", driver: "dra.example.com", pool: "pool", device: "dev-0" }] },
          },
        },
        update: (object) => {
          object.status.devices = [{ driver: "dra.example.com", pool: "pool", device: "dev-0", data: { fine: true } }];
        },
        shows: (object) => object.status.devices?.[0]?.device,
      },
      lingers: true,
    },
    true,
  ],
  [
    "[sig-node] [DRA] CRUD Tests resource.k8s.io/v1 ResourceClaimTemplate [Conformance]",
    "A",
    {
      version: `/apis/${devices}`,
      resource: "resourceclaimtemplates",
      template: typed(devices, "ResourceClaimTemplate", {
        spec: {
          spec: { devices: { requests: [{ name: "req-0", exactly: { deviceClassName: "example", count: 1 } }] } },
        },
      }),
    },
    true,
  ],
  [
    "[sig-node] [DRA] CRUD Tests resource.k8s.io/v1 ResourceSlice [Conformance]",
    "A",
    {
      version: `/apis/${devices}`,
      resource: "resourceslices",
      template: typed(devices, "ResourceSlice", {
        spec: {
          nodeName: "no-such-node",
          driver: "dra.example.com",
          pool: { name: "cluster", resourceSliceCount: 1, generation: 0 },
          devices: [{ name: "dev-0" }],
        },
      }),
      change: (object) => {
        object.spec.devices.push({ name: "dev-1" });
      },
    },
  ],
];

const container = { name: "c", image: "busybox" };
const aPod = (name: string, spec: Json) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: [container], ...spec },
});

const others: AreaTest[] = [
  {
    tier: "A",
    codename: "[sig-node] PodTemplates should replace a pod template [Conformance]",
    check: async (api) => {
      const templates = `/api/v1/namespaces/${await api.namespace("podtemplates")}/podtemplates`;
      const template = { metadata: { labels: { pod: "template" } }, spec: { containers: [container] } };
      const created = await expectStatus(
        201,
        api.post(templates, { apiVersion: "v1", kind: "PodTemplate", metadata: { name: "pt" }, template }),
      );
      created.metadata.annotations = { updated: "true" };
      const replaced = await expectStatus(200, api.put(`${templates}/pt`, created));
      expect(replaced.metadata.annotations).toMatchObject({ updated: "true" });
      expect((await expectStatus(200, api.get(`${templates}/pt`))).metadata.annotations).toMatchObject({
        updated: "true",
      });
    },
  },
  {
    tier: "A",
    codename: "[sig-node] ConfigMap should update ConfigMap successfully [Conformance] [NodeConformance]",
    check: async (api) => {
      const configMaps = `/api/v1/namespaces/${await api.namespace("configmap")}/configmaps`;
      const created = await expectStatus(
        201,
        api.post(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "update" }, data: {} }),
      );
      await expectStatus(200, api.put(`${configMaps}/update`, { ...created, data: { data: "value" } }));
      expect((await expectStatus(200, api.get(`${configMaps}/update`))).data).toEqual({ data: "value" });
    },
  },
  {
    tier: "A",
    codename:
      "[sig-node] RuntimeClass should reject a Pod requesting a non-existent RuntimeClass [Conformance] [NodeConformance]",
    check: async (api) => {
      const pods = `/api/v1/namespaces/${await api.namespace("runtimeclass")}/pods`;
      const answer = await api.post(pods, aPod("no-class", { runtimeClassName: "nonexistent" }));
      expect(answer).toMatchObject({ status: 403, json: { reason: "Forbidden" } });
      expect(answer.json.message).toContain('RuntimeClass "nonexistent" not found');
    },
  },
  {
    tier: "A",
    codename:
      "[sig-node] RuntimeClass should reject a Pod requesting a deleted RuntimeClass [Conformance] [NodeConformance]",
    check: async (api) => {
      const pods = `/api/v1/namespaces/${await api.namespace("runtimeclass")}/pods`;
      const name = `deleted-${api.encoding}`;
      const classes = "/apis/node.k8s.io/v1/runtimeclasses";
      await expectStatus(
        201,
        api.post(classes, { apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", metadata: { name }, handler: "h" }),
      );
      await expectStatus(200, api.delete(`${classes}/${name}`));
      await eventually(
        () => api.get(`${classes}/${name}`),
        ({ status }) => status === 404,
      );
      expect(await api.post(pods, aPod("late", { runtimeClassName: name }))).toMatchObject({
        status: 403,
        json: { reason: "Forbidden" },
      });
    },
  },
  {
    tier: "C",
    codename:
      "[sig-node] RuntimeClass should schedule a Pod requesting a RuntimeClass and initialize its Overhead [Conformance] [NodeConformance]",
    check: async (api) => {
      const pods = `/api/v1/namespaces/${await api.namespace("overhead")}/pods`;
      const name = `overhead-${api.encoding}`;
      const podFixed = { cpu: "10m", memory: "1Mi" };
      const overhead = { overhead: { podFixed } };
      await expectStatus(
        201,
        api.post("/apis/node.k8s.io/v1/runtimeclasses", {
          apiVersion: "node.k8s.io/v1",
          kind: "RuntimeClass",
          metadata: { name },
          handler: "runc",
          ...overhead,
        }),
      );
      await expectStatus(201, api.post(pods, aPod("p", { runtimeClassName: name })));
      const pod = await eventually(
        () => expectStatus(200, api.get(`${pods}/p`)),
        ({ spec }) => (spec.nodeName ?? "") !== "",
      );
      expect(pod.spec.overhead).toEqual(podFixed);
    },
  },
  {
    tier: "C",
    codename:
      "[sig-node] RuntimeClass should schedule a Pod requesting a RuntimeClass without PodOverhead [Conformance] [NodeConformance]",
    check: async (api) => {
      const pods = `/api/v1/namespaces/${await api.namespace("no-overhead")}/pods`;
      const name = `no-overhead-${api.encoding}`;
      await expectStatus(
        201,
        api.post("/apis/node.k8s.io/v1/runtimeclasses", {
          apiVersion: "node.k8s.io/v1",
          kind: "RuntimeClass",
          metadata: { name },
          handler: "runc",
        }),
      );
      await expectStatus(201, api.post(pods, aPod("p", { runtimeClassName: name })));
      const pod = await eventually(
        () => expectStatus(200, api.get(`${pods}/p`)),
        ({ spec }) => (spec.nodeName ?? "") !== "",
      );
      expect(pod.spec.overhead).toBeUndefined();
    },
  },
  {
    tier: "A",
    codename: "[sig-node] Sysctls [LinuxOnly] should reject invalid sysctls [Conformance] [NodeConformance]",
    check: async (api) => {
      const pods = `/api/v1/namespaces/${await api.namespace("sysctl")}/pods`;
      const sysctls = ["foo-", "kernel.shmmax", "safe-and-unsafe", "bar.."].map((name) => ({ name, value: "42" }));
      const answer = await api.post(pods, aPod("bad", { securityContext: { sysctls } }));
      expect(answer.status).toBe(422);
      for (const bad of ["foo-", "bar.."]) expect(answer.json.message).toContain(`Invalid value: "${bad}"`);
      for (const good of ["kernel.shmmax", "safe-and-unsafe"]) expect(answer.json.message).not.toContain(`"${good}"`);
    },
  },
  {
    tier: "A",
    codename: "[sig-node] Node Lifecycle should run through the lifecycle of a node [Conformance]",
    check: (api) =>
      runThroughLifecycle(api, {
        collection: "/api/v1/nodes",
        nameOf: (index) => `e2e-fake-node-${api.encoding}-${index}`,
        template: typed("v1", "Node", { spec: { unschedulable: true } }),
        change: (object) => {
          object.spec.podCIDR = "";
        },
      }),
  },
  {
    tier: "C",
    codename: "[sig-node] Pods should patch a pod status [Conformance]",
    check: async (api) => {
      const pods = `/api/v1/namespaces/${await api.namespace("podstatus")}/pods`;
      await expectStatus(201, api.post(pods, aPod("p", {})));
      await eventually(
        () => expectStatus(200, api.get(`${pods}/p`)),
        ({ status }) => status?.phase === "Running",
      );
      const condition = { type: "TestConditionType", status: "True", reason: "TestReason" };
      const patched = await expectStatus(
        200,
        api.patch(`${pods}/p/status`, { status: { conditions: [condition] } }, "strategic"),
      );
      expect(patched.status.conditions).toContainEqual(expect.objectContaining(condition));
      expect(patched.status.phase).toBe("Running");
    },
  },
  {
    tier: "C",
    codename:
      "[sig-node] Pods Extended (pod generation) Pod Generation pod generation should start at 1 and increment per update [MinimumKubeletVersion:1.34] [Conformance]",
    check: async (api) => {
      const pods = `/api/v1/namespaces/${await api.namespace("generation")}/pods`;
      const created = await expectStatus(201, api.post(pods, aPod("p", {})));
      expect(created.metadata.generation).toBe(1);
      const observed = (generation: number) =>
        eventually(
          () => expectStatus(200, api.get(`${pods}/p`)),
          ({ metadata, status }) => metadata.generation === generation && status.observedGeneration === generation,
        );
      await eventually(
        () => expectStatus(200, api.get(`${pods}/p`)),
        ({ status }) => status?.phase === "Running",
      );
      await observed(1);
      const changes = [
        { spec: { activeDeadlineSeconds: 5000 } },
        { spec: { tolerations: [{ key: "foo", operator: "Exists" }] } },
      ];
      for (const [index, change] of changes.entries()) {
        const now = await expectStatus(200, api.get(`${pods}/p`));
        const tolerations = change.spec.tolerations && [...now.spec.tolerations, ...change.spec.tolerations];
        await expectStatus(
          200,
          api.patch(`${pods}/p`, { spec: { ...change.spec, ...(tolerations && { tolerations }) } }),
        );
        await observed(index + 2);
      }
      // Labels are not part of the spec.
      await expectStatus(200, api.patch(`${pods}/p`, { metadata: { labels: { "key-label": "val-label" } } }));
      await observed(3);
    },
  },
  {
    tier: "C",
    codename:
      "[sig-node] Pods Extended (pod generation) Pod Generation custom-set generation on new pods and graceful delete [Conformance]",
    check: async (api) => {
      const pods = `/api/v1/namespaces/${await api.namespace("generation")}/pods`;
      const pod = aPod("p", { terminationGracePeriodSeconds: 30 });
      const metadata = { name: "p", generation: 100, finalizers: ["example.com/look"] };
      const created = await expectStatus(201, api.post(pods, { ...pod, metadata }));
      expect(created.metadata.generation).toBe(1);
      await eventually(
        () => expectStatus(200, api.get(`${pods}/p`)),
        ({ status }) => status?.phase === "Running",
      );
      await expectStatus(200, api.delete(`${pods}/p`));
      const deleting = await expectStatus(200, api.get(`${pods}/p`));
      expect(deleting.metadata.generation).toBe(2);
      await expectStatus(200, api.patch(`${pods}/p`, { metadata: { finalizers: null } }));
    },
  },
  {
    tier: "C",
    codename:
      "[sig-node] Pods Extended (pod generation) Pod Generation issue 500 podspec updates and verify generation and observedGeneration eventually converge [MinimumKubeletVersion:1.34] [Conformance]",
    check: async (api) => {
      const pods = `/api/v1/namespaces/${await api.namespace("generation")}/pods`;
      await expectStatus(201, api.post(pods, aPod("p", {})));
      await eventually(
        () => expectStatus(200, api.get(`${pods}/p`)),
        ({ status }) => status?.phase === "Running",
      );
      for (let index = 0; index < 500; index++) {
        const change = { spec: { activeDeadlineSeconds: 100_000 - index } };
        await expectStatus(200, api.patch(`${pods}/p`, change));
      }
      await eventually(
        () => expectStatus(200, api.get(`${pods}/p`)),
        ({ metadata, status }) => metadata.generation === 501 && status.observedGeneration === 501,
      );
    },
  },
];

describeArea([...operationsTests(rows), ...others]);
