import { expect } from "vitest";
import { type AreaTest, describeArea, operationsTests, type OperationsRow, typed } from "./area.ts";
import { type ConformanceClient, expectStatus, eventually, type Json } from "./conformance-cluster.ts";
import { type LifecycleSubject, runThroughLifecycle } from "./lifecycle.ts";

/* oxlint-disable vitest/no-standalone-expect -- describeArea makes tests of these functions. */

const rows: OperationsRow[] = [
  [
    "[sig-storage] CSIStorageCapacity should support CSIStorageCapacities API operations [Conformance]",
    "A",
    {
      version: "/apis/storage.k8s.io/v1",
      resource: "csistoragecapacities",
      template: typed("storage.k8s.io/v1", "CSIStorageCapacity", { storageClassName: "e2e-class" }),
    },
    true,
  ],
];

const storage = "storage.k8s.io/v1";
const lifecycles: [codename: string, lifecycle: LifecycleSubject][] = [
  [
    "[sig-storage] StorageClasses CSI Conformance should run through the lifecycle of a StorageClass [Conformance]",
    {
      collection: `/apis/${storage}/storageclasses`,
      template: typed(storage, "StorageClass", { provisioner: "e2e.example.com", reclaimPolicy: "Delete" }),
    },
  ],
  [
    "[sig-storage] CSIInlineVolumes should run through the lifecycle of a CSIDriver [Conformance]",
    {
      collection: `/apis/${storage}/csidrivers`,
      nameOf: (index) => `inline-driver-${index}.example.com`,
      template: typed(storage, "CSIDriver", { spec: { volumeLifecycleModes: ["Ephemeral"], attachRequired: false } }),
    },
  ],
  [
    "[sig-storage] CSINodes CSI Conformance should run through the lifecycle of a csinode [Conformance]",
    {
      collection: `/apis/${storage}/csinodes`,
      template: typed(storage, "CSINode", { spec: { drivers: [] } }),
      change: (object) => {
        object.spec.drivers = [{ name: "e2e.example.com", nodeID: "n", topologyKeys: [] }];
      },
      isChanged: (object) => object.spec.drivers.length === 1,
    },
  ],
  [
    "[sig-storage] VolumeAttachment Conformance should run through the lifecycle of a VolumeAttachment [Conformance]",
    {
      collection: `/apis/${storage}/volumeattachments`,
      template: typed(storage, "VolumeAttachment", {
        spec: {
          attacher: "e2e.example.com",
          nodeName: "no-such-node",
          source: { persistentVolumeName: "no-such-volume" },
        },
      }),
    },
  ],
  [
    "[sig-storage] VolumeAttributesClass [FeatureGate:VolumeAttributesClass] should run through the lifecycle of a VolumeAttributesClass [Conformance]",
    {
      collection: `/apis/${storage}/volumeattributesclasses`,
      template: typed(storage, "VolumeAttributesClass", { driverName: "e2e.example.com", parameters: { a: "1" } }),
    },
  ],
];

const others: AreaTest[] = [
  {
    tier: "A",
    codename:
      "[sig-storage] VolumeAttachment Conformance should apply changes to a volumeattachment status [Conformance]",
    check: async (api) => {
      const name = `status-${api.encoding}`;
      const path = `/apis/${storage}/volumeattachments/${name}`;
      const spec = { attacher: "e2e.example.com", nodeName: "no-such-node", source: { persistentVolumeName: "none" } };
      await expectStatus(
        201,
        api.post(
          `/apis/${storage}/volumeattachments`,
          typed(storage, "VolumeAttachment", { metadata: { name }, spec })(),
        ),
      );
      const patched = await expectStatus(200, api.patch(`${path}/status`, { status: { attached: true } }));
      expect(patched.status.attached).toBe(true);
      const body = await expectStatus(200, api.get(`${path}/status`));
      body.status.attached = false;
      const updated = await expectStatus(200, api.put(`${path}/status`, body));
      expect(updated.status.attached ?? false).toBe(false);
      // A status write leaves the rest unchanged, and an object write leaves the status unchanged.
      expect(updated.spec.attacher).toBe("e2e.example.com");
      await expectStatus(200, api.delete(path));
      expect((await api.get(path)).status).toBe(404);
    },
  },
  {
    tier: "A",
    codename:
      "[sig-storage] PersistentVolumes CSI Conformance should run through the lifecycle of a PV and a PVC [Conformance]",
    check: async (api) => {
      const { volumes, claims, volume, claim } = await volumeAndClaim(api, "lifecycle");
      const volumePath = `${volumes}/${volume.metadata.name}`;
      const claimPath = `${claims}/${claim.metadata.name}`;
      const bound = await eventually(
        async () => expectStatus(200, api.get(claimPath)),
        ({ status }) => status.phase === "Bound",
      );
      expect(bound.spec.volumeName).toBe(volume.metadata.name);
      for (const path of [volumePath, claimPath]) {
        const patched = await expectStatus(200, api.patch(path, { metadata: { labels: { patched: api.encoding } } }));
        expect(patched.metadata.labels).toMatchObject({ patched: api.encoding });
        const label = `labelSelector=patched%3D${api.encoding}`;
        const collection = path.slice(0, path.lastIndexOf("/"));
        expect((await expectStatus(200, api.get(`${collection}?${label}`))).items).toHaveLength(1);
      }
      await expectStatus(200, api.delete(claimPath));
      await eventually(
        () => api.get(claimPath),
        ({ status }) => status === 404,
      );
      await expectStatus(200, api.delete(volumePath));
      await eventually(
        () => api.get(volumePath),
        ({ status }) => status === 404,
      );
    },
  },
  {
    tier: "A",
    codename: "[sig-storage] PersistentVolumes CSI Conformance should apply changes to a pv/pvc status [Conformance]",
    check: async (api) => {
      const { volumes, claims, volume, claim } = await volumeAndClaim(api, "status");
      const claimStatus = `${claims}/${claim.metadata.name}/status`;
      const conditions = [
        { type: "StatusPatched", status: "True", reason: "E2E patchStatus", message: "Set by an e2e test" },
      ];
      const patched = await expectStatus(200, api.patch(claimStatus, { status: { conditions } }));
      expect(patched.status.conditions).toMatchObject(conditions);
      const volumeStatus = `${volumes}/${volume.metadata.name}/status`;
      const told = await expectStatus(
        200,
        api.patch(volumeStatus, { status: { message: "StatusPatched", reason: "E2E patchStatus" } }),
      );
      expect(told.status).toMatchObject({ message: "StatusPatched", reason: "E2E patchStatus" });
      await eventually(
        async () => {
          const body = await expectStatus(200, api.get(volumeStatus));
          return api.put(volumeStatus, { ...body, status: { ...body.status, reason: "E2E updateStatus" } });
        },
        ({ status, json }) => status === 200 && json.status.reason === "E2E updateStatus",
      );
    },
  },
  {
    tier: "A",
    codename: "[sig-storage] CSIInlineVolumes should support CSIVolumeSource in Pod API [Conformance]",
    check: async (api) => {
      const pods = `/api/v1/namespaces/${await api.namespace("inline")}/pods`;
      const csi = { driver: "e2e.example.com", readOnly: false, volumeAttributes: { a: "1" } };
      const spec = {
        nodeSelector: { "no-such": "node" },
        containers: [{ name: "c", image: "busybox", volumeMounts: [{ name: "v", mountPath: "/v" }] }],
        volumes: [{ name: "v", csi }],
      };
      await expectStatus(201, api.post(pods, { apiVersion: "v1", kind: "Pod", metadata: { name: "inline" }, spec }));
      const [pod] = (await expectStatus(200, api.get(pods))).items;
      expect(pod.spec.volumes.find(({ name }: Json) => name === "v").csi).toMatchObject(csi);
      await expectStatus(200, api.delete(`${pods}/inline`));
      await eventually(
        () => api.get(`${pods}/inline`),
        ({ status }) => status === 404,
      );
    },
  },
  ...(
    [
      ["[sig-storage] ConfigMap should be immutable if `immutable` field is set [Conformance]", "ConfigMap", "value"],
      ["[sig-storage] Secrets should be immutable if `immutable` field is set [Conformance]", "Secret", "dmFsdWU="],
    ] as const
  ).map(([codename, kind, value]): AreaTest => ({
    tier: "A",
    codename,
    check: async (api) => {
      const collection = `/api/v1/namespaces/${await api.namespace("immutable")}/${kind.toLowerCase()}s`;
      const path = `${collection}/immutable`;
      const object = { apiVersion: "v1", kind, metadata: { name: "immutable" }, data: { "data-1": value } };
      let current = await expectStatus(201, api.post(collection, object));
      current.data["data-4"] = value;
      current = await expectStatus(200, api.put(path, current));
      current = await expectStatus(200, api.put(path, { ...current, immutable: true }));
      const refused = async (change: Json) =>
        expect(await api.put(path, { ...current, ...change })).toMatchObject({
          status: 422,
          json: { reason: "Invalid" },
        });
      await refused({ data: { ...current.data, "data-5": value } });
      await refused({ immutable: false });
      // The object's metadata may still change.
      const labels = { label1: "label1" };
      await expectStatus(200, api.put(path, { ...current, metadata: { ...current.metadata, labels } }));
      const found = await expectStatus(200, api.get(path));
      expect([found.metadata.labels, found.immutable]).toEqual([labels, true]);
      await expectStatus(200, api.delete(path));
    },
  })),
];

async function volumeAndClaim(api: ConformanceClient, purpose: string) {
  const name = `${purpose}-${api.encoding}`;
  const volumes = "/api/v1/persistentvolumes";
  const claims = `/api/v1/namespaces/${await api.namespace(purpose)}/persistentvolumeclaims`;
  const common = { accessModes: ["ReadWriteOnce"], storageClassName: name };
  const volume = await expectStatus(
    201,
    api.post(volumes, {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name },
      spec: {
        ...common,
        capacity: { storage: "1Gi" },
        persistentVolumeReclaimPolicy: "Retain",
        csi: { driver: "e2e.example.com", volumeHandle: name },
      },
    }),
  );
  const claim = await expectStatus(
    201,
    api.post(claims, {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name },
      spec: { ...common, resources: { requests: { storage: "1Gi" } } },
    }),
  );
  return { volumes, claims, volume, claim };
}

describeArea([
  ...operationsTests(rows),
  ...lifecycles.map(([codename, lifecycle]): AreaTest => ({
    tier: "A",
    codename,
    check: (api) => runThroughLifecycle(api, lifecycle),
  })),
  ...others,
]);
