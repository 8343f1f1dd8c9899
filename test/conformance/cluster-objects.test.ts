import { expect } from "vitest";
import { type AreaTest, describeArea, typed } from "./area.ts";
import { eventually, expectStatus, type Json } from "./conformance-cluster.ts";
import { runThroughLifecycle } from "./lifecycle.ts";

// Areas of few tests: accounts, events, limits, quotas, namespaces, and the cluster itself.

const namesOf = ({ items }: Json) => (items ?? []).map(({ metadata }: Json) => metadata.name);

const tests: AreaTest[] = [
  {
    tier: "A",
    codename: "[sig-architecture] Conformance Tests should have at least two untainted nodes [Conformance]",
    check: async (api) => {
      const { items } = await expectStatus(200, api.get("/api/v1/nodes"));
      const untainted = items.filter(({ spec }: Json) =>
        (spec.taints ?? []).every(({ effect }: Json) => effect === "PreferNoSchedule"),
      );
      expect(untainted.length).toBeGreaterThanOrEqual(2);
    },
  },
  {
    tier: "A",
    codename: "[sig-auth] ServiceAccounts should update a ServiceAccount [Conformance]",
    check: async (api) => {
      const accounts = `/api/v1/namespaces/${await api.namespace("account")}/serviceaccounts`;
      const created = await expectStatus(
        201,
        api.post(accounts, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "e2e-sa" } }),
      );
      created.automountServiceAccountToken = false;
      const updated = await expectStatus(200, api.put(`${accounts}/e2e-sa`, created));
      expect(updated.automountServiceAccountToken).toBe(false);
    },
  },
  {
    tier: "A",
    codename:
      "[sig-auth] ServiceAccounts should create a serviceAccountToken and ensure a successful TokenReview [Conformance]",
    check: async (api) => {
      const namespace = await api.namespace("token");
      const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
      await expectStatus(
        201,
        api.post(accounts, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "e2e" } }),
      );
      const version = "authentication.k8s.io/v1";
      const request = await expectStatus(
        201,
        api.post(`${accounts}/e2e/token`, {
          apiVersion: version,
          kind: "TokenRequest",
          metadata: { name: "e2e", namespace },
          spec: { expirationSeconds: 3600 },
        }),
      );
      const review = await expectStatus(
        201,
        api.post(`/apis/${version}/tokenreviews`, {
          apiVersion: version,
          kind: "TokenReview",
          metadata: { name: "e2e" },
          spec: { token: request.status.token },
        }),
      );
      expect(review.status.error ?? "").toBe("");
      expect(review.status).toMatchObject({
        authenticated: true,
        user: { username: `system:serviceaccount:${namespace}:e2e` },
      });
    },
  },
  {
    tier: "B",
    codename: "[sig-auth] ServiceAccounts should guarantee kube-root-ca.crt exist in any namespace [Conformance]",
    check: async (api) => {
      const path = `/api/v1/namespaces/${await api.namespace("root-ca")}/configmaps/kube-root-ca.crt`;
      const found = async () => {
        const answer = await eventually(
          () => api.get(path),
          ({ status }) => status === 200,
        );
        return answer.json;
      };
      const first = await found();
      expect(first.data["ca.crt"]).toContain("BEGIN CERTIFICATE");
      await expectStatus(200, api.delete(path));
      await eventually(found, ({ metadata }) => metadata.uid !== first.metadata.uid);
      await expectStatus(200, api.patch(path, { data: { "ca.crt": "" } }));
      await eventually(found, ({ data }) => data["ca.crt"] === first.data["ca.crt"]);
    },
  },
  {
    tier: "A",
    codename: "[sig-auth] SubjectReview should support SubjectReview API operations [Conformance]",
    check: async (api) => {
      const namespace = await api.namespace("review");
      const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
      await expectStatus(
        201,
        api.post(accounts, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "e2e" } }),
      );
      const user = `system:serviceaccount:${namespace}:e2e`;
      const version = "authorization.k8s.io/v1";
      const spec = { user, resourceAttributes: { verb: "list", namespace, version: "v1", resource: "configmaps" } };
      const review = (path: string, kind: string, more: Json = {}) =>
        expectStatus(
          201,
          api.post(`/apis/${version}/${path}`, { apiVersion: version, kind, metadata: { ...more }, spec }),
        );
      const impersonated = await api.call("GET", `/api/v1/namespaces/${namespace}/configmaps`, undefined, {
        "impersonate-user": user,
      });
      const { status } = await review("subjectaccessreviews", "SubjectAccessReview");
      expect(status.allowed ?? false).toBe(impersonated.status === 200);
      const local = await review(`namespaces/${namespace}/localsubjectaccessreviews`, "LocalSubjectAccessReview", {
        namespace,
      });
      expect(local.status.allowed ?? false).toBe(impersonated.status === 200);
    },
  },
  {
    tier: "A",
    codename: "[sig-instrumentation] Events should manage the lifecycle of an event [Conformance]",
    check: async (api) => {
      const namespace = await api.namespace("event");
      const events = `/api/v1/namespaces/${namespace}/events`;
      const labels = { "testevent-constant": `true-${api.encoding}` };
      const created = await expectStatus(
        201,
        api.post(events, {
          apiVersion: "v1",
          kind: "Event",
          metadata: { name: "event-test", labels },
          message: "This is a test event",
          reason: "Test",
          type: "Normal",
          count: 1,
          involvedObject: { namespace },
        }),
      );
      const selector = `labelSelector=testevent-constant%3Dtrue-${api.encoding}`;
      expect(namesOf(await expectStatus(200, api.get(`/api/v1/events?${selector}`)))).toEqual(["event-test"]);
      const path = `${events}/event-test`;
      const patched = await expectStatus(
        200,
        api.patch(path, { message: "This is a test event - patched" }, "strategic"),
      );
      expect(patched.message).toBe("This is a test event - patched");
      const series = { count: 100, lastObservedTime: "2026-01-01T00:00:00.000000Z" };
      const updated = await expectStatus(200, api.put(path, { ...patched, series }));
      expect(updated.series.count).toBe(100);
      expect(updated.metadata.uid).toBe(created.metadata.uid);
      await expectStatus(200, api.delete(path));
      expect(namesOf(await expectStatus(200, api.get(`/api/v1/events?${selector}`)))).toEqual([]);
    },
  },
  {
    tier: "A",
    codename: "[sig-scheduling] LimitRange should list, patch and delete a LimitRange by collection [Conformance]",
    check: async (api) => {
      const namespace = await api.namespace("limits");
      const limits = [{ type: "Container", default: { cpu: "500m" }, min: { cpu: "50m" }, max: { cpu: "500m" } }];
      const labels = { "e2e-test": api.encoding };
      const ranges = `/api/v1/namespaces/${namespace}/limitranges`;
      await expectStatus(
        201,
        api.post(ranges, { apiVersion: "v1", kind: "LimitRange", metadata: { name: "e2e", labels }, spec: { limits } }),
      );
      const selector = `labelSelector=e2e-test%3D${api.encoding}`;
      expect(namesOf(await expectStatus(200, api.get(`/api/v1/limitranges?${selector}`)))).toEqual(["e2e"]);
      const patch = {
        metadata: { labels: { patched: "true" } },
        spec: { limits: [{ ...limits[0], min: { cpu: "40m" } }] },
      };
      const patched = await expectStatus(200, api.patch(`${ranges}/e2e`, patch, "strategic"));
      expect([patched.metadata.labels.patched, patched.spec.limits[0].min.cpu]).toEqual(["true", "40m"]);
      await expectStatus(200, api.delete(`${ranges}?${selector}`));
      expect(namesOf(await expectStatus(200, api.get(`/api/v1/limitranges?${selector}`)))).toEqual([]);
    },
  },
  {
    tier: "B",
    codename: "[sig-api-machinery] ResourceQuota should manage the lifecycle of a ResourceQuota [Conformance]",
    check: async (api) =>
      runThroughLifecycle(api, {
        collection: `/api/v1/namespaces/${await api.namespace("quota")}/resourcequotas`,
        template: typed("v1", "ResourceQuota", { spec: { hard: { cpu: "1" } } }),
        change: (object) => {
          object.spec.hard = { cpu: "2", memory: "1Gi" };
        },
        isChanged: (object) => object.spec.hard.cpu === "2",
      }),
  },
  {
    tier: "B",
    codename: "[sig-api-machinery] ResourceQuota should apply changes to a resourcequota status [Conformance]",
    check: async (api) => {
      const quotas = `/api/v1/namespaces/${await api.namespace("quota")}/resourcequotas`;
      const hard = { cpu: "500m", memory: "500Mi" };
      await expectStatus(
        201,
        api.post(quotas, { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "e2e" }, spec: { hard } }),
      );
      await eventually(
        () => expectStatus(200, api.get(`${quotas}/e2e`)),
        ({ status }) => status?.hard?.cpu === "500m",
      );
      const { metadata } = await expectStatus(200, api.get(quotas));
      // The controller sets the status back to the spec, which a watch receives after the change.
      await expectStatus(200, api.patch(`${quotas}/e2e/status`, { status: { hard: { cpu: "600m" } } }));
      const seen = await api.watchUntil(`${quotas}?resourceVersion=${metadata.resourceVersion}`, (events) => {
        const values = events.map(({ object }) => object.status?.hard?.cpu);
        return values.includes("600m") && values.at(-1) === "500m";
      });
      expect(seen.length).toBeGreaterThanOrEqual(2);
    },
  },
  {
    tier: "A",
    codename: "[sig-api-machinery] Namespaces should apply an update to a Namespace [Conformance] [Serial]",
    check: async (api) => {
      const path = `/api/v1/namespaces/${await api.namespace("update")}`;
      const found = await expectStatus(200, api.get(path));
      found.metadata.labels = { ...found.metadata.labels, updated: "true" };
      expect((await expectStatus(200, api.put(path, found))).metadata.labels).toMatchObject({ updated: "true" });
    },
  },
  {
    tier: "A",
    codename: "[sig-api-machinery] Namespaces should apply a finalizer to a Namespace [Conformance] [Serial]",
    check: async (api) => {
      const path = `/api/v1/namespaces/${await api.namespace("finalizer")}`;
      const found = await expectStatus(200, api.get(path));
      const added = await expectStatus(
        200,
        api.put(`${path}/finalize`, {
          ...found,
          spec: { finalizers: [...found.spec.finalizers, "e2e.example.com/fakeFinalizer"] },
        }),
      );
      expect(added.spec.finalizers).toContain("e2e.example.com/fakeFinalizer");
      const removed = await expectStatus(
        200,
        api.put(`${path}/finalize`, { ...added, spec: { finalizers: ["kubernetes"] } }),
      );
      expect(removed.spec.finalizers).toEqual(["kubernetes"]);
    },
  },
  {
    tier: "A",
    codename: "[sig-api-machinery] Namespaces should apply changes to a namespace status [Conformance] [Serial]",
    check: async (api) => {
      const path = `/api/v1/namespaces/${await api.namespace("nsstatus")}/status`;
      const condition = (type: string) => ({ type, status: "True", reason: "E2E", message: "of a test" });
      const patched = await expectStatus(
        200,
        api.patch(path, {
          metadata: { annotations: { patched: "1" } },
          status: { conditions: [condition("StatusPatch")] },
        }),
      );
      expect(patched.status.conditions).toContainEqual(expect.objectContaining({ type: "StatusPatch" }));
      patched.status.conditions = [...patched.status.conditions, condition("StatusUpdate")];
      const updated = await expectStatus(200, api.put(path, patched));
      expect(updated.status.conditions).toContainEqual(expect.objectContaining({ type: "StatusUpdate" }));
    },
  },
  {
    tier: "B",
    codename: "[sig-api-machinery] OrderedNamespaceDeletion namespace deletion should delete pod first [Conformance]",
    check: async (api) => {
      const namespace = await api.namespace("ordered");
      const path = `/api/v1/namespaces/${namespace}`;
      const finalizers = ["e2e.example.com/finalizer"];
      const spec = { containers: [{ name: "c", image: "busybox" }] };
      await expectStatus(
        201,
        api.post(`${path}/pods`, { apiVersion: "v1", kind: "Pod", metadata: { name: "p", finalizers }, spec }),
      );
      await expectStatus(
        201,
        api.post(`${path}/configmaps`, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", finalizers } }),
      );
      await expectStatus(200, api.delete(path));
      await eventually(
        () => expectStatus(200, api.get(`${path}/pods/p`)),
        ({ metadata }) => metadata.deletionTimestamp !== undefined,
      );
      await eventually(
        () => expectStatus(200, api.get(path)),
        ({ status }) =>
          status.conditions?.some(
            ({ type, status: is }: Json) => type === "NamespaceDeletionContentFailure" && is === "True",
          ) ||
          status.conditions?.some(
            ({ type, status: is }: Json) => type === "NamespaceFinalizersRemaining" && is === "True",
          ),
      );
      // The pod remains, so nothing else is deleted.
      expect((await expectStatus(200, api.get(`${path}/configmaps/c`))).metadata.deletionTimestamp).toBeUndefined();
      await expectStatus(200, api.patch(`${path}/pods/p`, { metadata: { finalizers: null } }));
      await eventually(
        () => expectStatus(200, api.get(`${path}/configmaps/c`)),
        ({ metadata }) => metadata.deletionTimestamp !== undefined,
      );
      await expectStatus(200, api.patch(`${path}/configmaps/c`, { metadata: { finalizers: null } }));
      await eventually(
        () => api.get(path),
        ({ status }) => status === 404,
      );
    },
  },
];

describeArea(tests);
