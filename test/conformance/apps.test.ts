import { expect } from "vitest";
import { type AreaTest, describeArea, operationsTests, type OperationsRow, typed } from "./area.ts";
import { type ConformanceClient, eventually, expectStatus, type Json } from "./conformance-cluster.ts";

/* oxlint-disable vitest/no-standalone-expect -- describeArea makes tests of these functions. */

const podTemplate = { spec: { restartPolicy: "OnFailure", containers: [{ name: "c", image: "example.com/server" }] } };

const rows: OperationsRow[] = [
  [
    "[sig-apps] CronJob should support CronJob API operations [Conformance]",
    "A",
    {
      version: "/apis/batch/v1",
      resource: "cronjobs",
      // A Job at 23:59 on the last day of February of a leap year, which does not run during a
      // test.
      template: typed("batch/v1", "CronJob", {
        spec: { schedule: "59 23 29 2 *", jobTemplate: { spec: { template: podTemplate } } },
      }),
      change: (object) => {
        object.spec.suspend = true;
      },
      status: {
        patch: { lastScheduleTime: "2026-01-01T00:00:00Z" },
        update: (object) => {
          object.status.lastScheduleTime = "2026-01-02T00:00:00Z";
        },
        shows: (object) => object.status.lastScheduleTime,
      },
    },
    true,
  ],
];

const labels = { app: "e2e" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "example.com/server" }] } };
const selector = { matchLabels: labels };
const metadata = { name: "e2e", labels };
const conditionOf = (type: string) => ({ type, status: "True", reason: "E2E", message: "Set from e2e test" });

/** A workload of one kind, in its own namespace, when all of its pods are ready. */
async function readyWorkload(api: ConformanceClient, kind: string, spec: Json, version = "apps/v1") {
  const namespace = await api.namespace(kind.toLowerCase());
  const base = version === "v1" ? "/api/v1" : `/apis/${version}`;
  const collection = `${base}/namespaces/${namespace}/${kind.toLowerCase()}s`;
  await expectStatus(201, api.post(collection, { apiVersion: version, kind, metadata, spec }));
  const path = `${collection}/e2e`;
  await eventually(
    () => expectStatus(200, api.get(path)),
    ({ status = {} }) => {
      const ready = status.readyReplicas ?? status.numberReady ?? 0;
      return ready > 0 && ready === (status.desiredNumberScheduled ?? spec.replicas);
    },
  );
  return { namespace, collection, path };
}

/** Reads the scale, writes another scale, and waits until the controller has followed. */
async function scale(api: ConformanceClient, path: string): Promise<void> {
  const found = await expectStatus(200, api.get(`${path}/scale`));
  expect([found.kind, found.spec.replicas]).toEqual(["Scale", 1]);
  found.spec.replicas = 2;
  expect((await expectStatus(200, api.put(`${path}/scale`, found))).spec.replicas).toBe(2);
  expect((await expectStatus(200, api.get(path))).spec.replicas).toBe(2);
  const patched = await expectStatus(200, api.patch(`${path}/scale`, { spec: { replicas: 4 } }));
  expect(patched.spec.replicas).toBe(4);
  await eventually(
    () => expectStatus(200, api.get(path)),
    ({ status }) => status.replicas === 4,
  );
}

/** Uses the status of a workload: get, update and patch, each of which a watch receives. */
async function validateStatus(api: ConformanceClient, { collection, path }: { collection: string; path: string }) {
  const { metadata: before } = await expectStatus(200, api.get(collection));
  // Controllers write the status as well, so an update may have to be tried again.
  await eventually(
    async () => {
      const body = await expectStatus(200, api.get(`${path}/status`));
      body.status.conditions = [...(body.status.conditions ?? []), conditionOf("StatusUpdate")];
      return api.put(`${path}/status`, body);
    },
    ({ status }) => status === 200,
  );
  await api.watchUntil(`${collection}?resourceVersion=${before.resourceVersion}`, (events) =>
    events.some(({ object }) => object.status?.conditions?.some(({ type }: Json) => type === "StatusUpdate")),
  );
  const patch = { status: { conditions: [conditionOf("StatusPatched")] } };
  const patched = await expectStatus(200, api.patch(`${path}/status`, patch));
  expect(patched.status.conditions).toContainEqual(expect.objectContaining({ type: "StatusPatched", reason: "E2E" }));
}

/** Lists objects of all namespaces by label, and deletes them as a collection. */
async function listAndDelete(api: ConformanceClient, { collection }: { collection: string }): Promise<void> {
  const everywhere = collection.replace(/namespaces\/[^/]+\//, "");
  expect((await expectStatus(200, api.get(`${everywhere}?labelSelector=app%3De2e`))).items.length).toBeGreaterThan(0);
  await expectStatus(200, api.delete(`${collection}?labelSelector=app%3De2e`));
  await eventually(
    () => expectStatus(200, api.get(`${collection}?labelSelector=app%3De2e`)),
    ({ items }) => (items ?? []).length === 0,
  );
}

const workload = { replicas: 1, selector, template };
const daemons = { selector, template };
const statefulSet = { ...workload, serviceName: "e2e" };
const byName = (codename: string, check: AreaTest["check"], tier: AreaTest["tier"] = "C"): AreaTest => ({
  tier,
  codename,
  check,
});

const others: AreaTest[] = [
  byName("[sig-apps] Deployment Deployment should have a working scale subresource [Conformance]", async (api) =>
    scale(api, (await readyWorkload(api, "Deployment", workload)).path),
  ),
  byName("[sig-apps] ReplicaSet Replicaset should have a working scale subresource [Conformance]", async (api) =>
    scale(api, (await readyWorkload(api, "ReplicaSet", workload)).path),
  ),
  byName(
    "[sig-apps] ReplicationController should get and update a ReplicationController scale [Conformance]",
    async (api) =>
      scale(api, (await readyWorkload(api, "ReplicationController", { ...workload, selector: labels }, "v1")).path),
  ),
  byName("[sig-apps] Deployment should validate Deployment Status endpoints [Conformance]", async (api) =>
    validateStatus(api, await readyWorkload(api, "Deployment", workload)),
  ),
  byName("[sig-apps] ReplicaSet should validate Replicaset Status endpoints [Conformance]", async (api) =>
    validateStatus(api, await readyWorkload(api, "ReplicaSet", workload)),
  ),
  byName("[sig-apps] Daemon set should verify changes to a daemon set status [Conformance] [Serial]", async (api) =>
    validateStatus(api, await readyWorkload(api, "DaemonSet", daemons)),
  ),
  byName(
    "[sig-apps] StatefulSet Basic StatefulSet functionality [StatefulSetBasic] should validate Statefulset Status endpoints [Conformance]",
    async (api) => validateStatus(api, await readyWorkload(api, "StatefulSet", statefulSet)),
  ),
  byName("[sig-apps] ReplicaSet should list and delete a collection of ReplicaSets [Conformance]", async (api) =>
    listAndDelete(api, await readyWorkload(api, "ReplicaSet", { ...workload, replicas: 3 })),
  ),
  byName(
    "[sig-apps] Daemon set should list and delete a collection of DaemonSets [Conformance] [Serial]",
    async (api) => listAndDelete(api, await readyWorkload(api, "DaemonSet", daemons)),
  ),
  byName(
    "[sig-apps] StatefulSet Basic StatefulSet functionality [StatefulSetBasic] should list, patch and delete a collection of StatefulSets [Conformance]",
    async (api) => {
      const ready = await readyWorkload(api, "StatefulSet", statefulSet);
      const patch = { metadata: { labels: { test: "patched" } }, spec: { replicas: 2 } };
      const patched = await expectStatus(200, api.patch(ready.path, patch));
      expect([patched.metadata.labels.test, patched.spec.replicas]).toEqual(["patched", 2]);
      await eventually(
        () => expectStatus(200, api.get(ready.path)),
        ({ status }) => status.readyReplicas === 2,
      );
      await listAndDelete(api, ready);
    },
  ),
  byName("[sig-apps] ReplicaSet Replace and Patch tests [Conformance]", async (api) => {
    const { path } = await readyWorkload(api, "ReplicaSet", workload);
    const found = await expectStatus(200, api.get(`${path}/scale`));
    await expectStatus(200, api.put(`${path}/scale`, { ...found, spec: { replicas: 2 } }));
    await eventually(
      () => expectStatus(200, api.get(path)),
      ({ status }) => status.readyReplicas === 2,
    );
    const patch = { metadata: { labels: { "test-rs": "patched" } }, spec: { replicas: 3 } };
    await expectStatus(200, api.patch(path, patch, "strategic"));
    await eventually(
      () => expectStatus(200, api.get(path)),
      (set) => set.status.readyReplicas === 3 && set.metadata.labels["test-rs"] === "patched",
    );
  }),
  byName(
    "[sig-apps] DisruptionController should create a PodDisruptionBudget [Conformance]",
    async (api) => {
      const { path } = await budget(api, 1);
      const found = await eventually(
        () => expectStatus(200, api.get(path)),
        ({ status }) => status.observedGeneration > 0,
      );
      found.spec.minAvailable = 2;
      await expectStatus(200, api.put(path, found));
      await eventually(
        () => expectStatus(200, api.get(path)),
        ({ status }) => status.observedGeneration === 2,
      );
      const patched = await expectStatus(200, api.patch(path, { spec: { minAvailable: "3%" } }));
      expect(patched.spec.minAvailable).toBe("3%");
      await expectStatus(200, api.delete(path));
      expect((await api.get(path)).status).toBe(404);
    },
    "B",
  ),
  byName(
    "[sig-apps] DisruptionController Listing PodDisruptionBudgets for all namespaces should list and delete a collection of PodDisruptionBudgets [Conformance]",
    async (api) => {
      const { collection } = await budget(api, 1);
      for (const name of ["e2e-2", "e2e-3"]) {
        const spec = { minAvailable: 1, selector };
        await expectStatus(
          201,
          api.post(collection, {
            apiVersion: "policy/v1",
            kind: "PodDisruptionBudget",
            metadata: { name, labels },
            spec,
          }),
        );
      }
      expect((await expectStatus(200, api.get(collection))).items).toHaveLength(3);
      await listAndDelete(api, { collection });
    },
    "B",
  ),
  byName(
    "[sig-apps] DisruptionController should observe PodDisruptionBudget status updated [Conformance]",
    async (api) => {
      const { namespace, path } = await budget(api, 1);
      await runPods(api, namespace, 3);
      const { status } = await eventually(
        () => expectStatus(200, api.get(path)),
        (found) => found.status.currentHealthy === 3,
      );
      expect(status).toMatchObject({ expectedPods: 3, desiredHealthy: 1, disruptionsAllowed: 2 });
    },
  ),
  byName(
    "[sig-apps] DisruptionController should update/patch PodDisruptionBudget status [Conformance]",
    async (api) => {
      const { namespace, path } = await budget(api, 1);
      await runPods(api, namespace, 1);
      await eventually(
        () => expectStatus(200, api.get(path)),
        ({ status }) => status.currentHealthy === 1,
      );
      const disruptedPods = { "locust-1": "2026-01-01T00:00:00Z" };
      const updated = await eventually(
        async () => {
          const body = await expectStatus(200, api.get(`${path}/status`));
          return api.put(`${path}/status`, { ...body, status: { ...body.status, disruptedPods } });
        },
        ({ status }) => status === 200,
      );
      expect(Object.keys(updated.json.status.disruptedPods)).toEqual(["locust-1"]);
      const patched = await expectStatus(200, api.patch(`${path}/status`, { status: { disruptedPods: null } }));
      expect(patched.status.disruptedPods ?? {}).toEqual({});
    },
  ),
  byName(
    "[sig-apps] DisruptionController should block an eviction until the PDB is updated to allow it [Conformance]",
    async (api) => {
      const { namespace, path } = await budget(api, 3);
      const pods = await runPods(api, namespace, 3);
      await eventually(
        () => expectStatus(200, api.get(path)),
        ({ status }) => status.currentHealthy === 3,
      );
      const evict = () =>
        api.post(`${pods}/e2e-0/eviction`, {
          apiVersion: "policy/v1",
          kind: "Eviction",
          metadata: { name: "e2e-0", namespace },
        });
      expect(await evict()).toMatchObject({ status: 429, json: { reason: "TooManyRequests" } });
      await expectStatus(200, api.patch(path, { spec: { minAvailable: 2 } }));
      await eventually(evict, ({ status }) => status === 201);
      await eventually(
        () => api.get(`${pods}/e2e-0`),
        ({ status, json }) => status === 404 || json.metadata.deletionTimestamp !== undefined,
      );
    },
  ),
  byName(
    "[sig-apps] Job should manage the lifecycle of a job [Conformance]",
    async (api) => {
      const jobs = `/apis/batch/v1/namespaces/${await api.namespace("job")}/jobs`;
      const spec = { suspend: true, parallelism: 2, completions: 4, template: podTemplate };
      await expectStatus(201, api.post(jobs, { apiVersion: "batch/v1", kind: "Job", metadata, spec }));
      const path = `${jobs}/e2e`;
      const patched = await expectStatus(200, api.patch(path, { metadata: { labels: { "e2e-job": "patched" } } }));
      expect(patched.metadata.labels).toMatchObject({ "e2e-job": "patched" });
      await eventually(
        () => expectStatus(200, api.get(path)),
        ({ status }) => status.conditions?.some(({ type, status: is }: Json) => type === "Suspended" && is === "True"),
      );
      await eventually(
        async () => {
          const body = await expectStatus(200, api.get(path));
          body.spec.suspend = false;
          body.metadata.annotations = { updated: "true" };
          return api.put(path, body);
        },
        ({ status }) => status === 200,
      );
      await eventually(
        () => expectStatus(200, api.get(path)),
        ({ status }) => (status.active ?? 0) === 2,
      );
      await listAndDelete(api, { collection: jobs });
    },
    "B",
  ),
  byName("[sig-apps] Job should apply changes to a job status [Conformance]", async (api) => {
    const jobs = `/apis/batch/v1/namespaces/${await api.namespace("job")}/jobs`;
    const spec = { suspend: true, template: podTemplate };
    await expectStatus(201, api.post(jobs, { apiVersion: "batch/v1", kind: "Job", metadata, spec }));
    await expectStatus(200, api.patch(`${jobs}/e2e`, { spec: { suspend: false } }));
    const path = `${jobs}/e2e/status`;
    await eventually(
      () => expectStatus(200, api.get(path)),
      ({ status }) => status.active === 1,
    );
    const condition = { ...conditionOf("CustomConditionType"), lastProbeTime: "2026-01-01T00:00:00Z" };
    const patched = await expectStatus(
      200,
      api.patch(path, { metadata: { annotations: { patchedstatus: "true" } }, status: { conditions: [condition] } }),
    );
    expect(patched.status.conditions).toContainEqual(expect.objectContaining({ type: "CustomConditionType" }));
    expect(patched.metadata.annotations).toMatchObject({ patchedstatus: "true" });
  }),
];

async function budget(api: ConformanceClient, minAvailable: number) {
  const namespace = await api.namespace("disruption");
  const collection = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
  const spec = { minAvailable, selector };
  await expectStatus(
    201,
    api.post(collection, { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata, spec }),
  );
  return { namespace, collection, path: `${collection}/e2e` };
}

async function runPods(api: ConformanceClient, namespace: string, count: number): Promise<string> {
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  for (let index = 0; index < count; index++) {
    const named = { name: `e2e-${index}`, labels };
    await expectStatus(201, api.post(pods, { apiVersion: "v1", kind: "Pod", metadata: named, spec: template.spec }));
  }
  await eventually(
    () => expectStatus(200, api.get(pods)),
    ({ items }) =>
      items.every(({ status }: Json) =>
        status?.conditions?.some(({ type, status: is }: Json) => type === "Ready" && is === "True"),
      ),
  );
  return pods;
}

describeArea([...operationsTests(rows), ...others]);
