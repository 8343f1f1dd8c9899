import { expect } from "vitest";
import { type AreaTest, describeArea } from "./area.ts";
import { eventually, expectStatus, type Json } from "./conformance-cluster.ts";

/* oxlint-disable vitest/no-standalone-expect -- describeArea makes tests of these functions. */

const resource = "scheduling.k8s.io/foo";

const tests: AreaTest[] = [
  {
    tier: "C",
    codename:
      "[sig-scheduling] SchedulerPreemption validates pod disruption condition is added to the preempted pod [Conformance] [Serial]",
    check: async (api) => {
      const namespace = await api.namespace("preemption");
      const pods = `/api/v1/namespaces/${namespace}/pods`;
      const [{ metadata: node }] = (await expectStatus(200, api.get("/api/v1/nodes"))).items;
      const capacity = { status: { capacity: { [resource]: "1" }, allocatable: { [resource]: "1" } } };
      await expectStatus(200, api.patch(`/api/v1/nodes/${node.name}/status`, capacity, "strategic"));
      for (const [name, value] of [
        ["low", 1],
        ["high", 1000],
      ] as const) {
        const metadata = { name: `${name}-${api.encoding}` };
        const priorityClass = { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata, value };
        await expectStatus(201, api.post("/apis/scheduling.k8s.io/v1/priorityclasses", priorityClass));
      }
      const create = (name: string, priority: string, finalizers: string[]) => {
        const amounts = { [resource]: "1" };
        const spec = {
          nodeSelector: { "kubernetes.io/hostname": node.name },
          priorityClassName: `${priority}-${api.encoding}`,
          containers: [{ name: "c", image: "pause", resources: { requests: amounts, limits: amounts } }],
        };
        return expectStatus(
          201,
          api.post(pods, { apiVersion: "v1", kind: "Pod", metadata: { name, finalizers }, spec }),
        );
      };
      const running = (name: string) =>
        eventually(
          () => expectStatus(200, api.get(`${pods}/${name}`)),
          ({ status }) => status?.phase === "Running",
        );
      await create("victim-pod", "low", ["example.com/test-finalizer"]);
      await running("victim-pod");
      await create("preemptor-pod", "high", []);
      // The finalizer keeps the pod, so that its conditions can be seen.
      const victim = await eventually(
        () => expectStatus(200, api.get(`${pods}/victim-pod`)),
        ({ metadata }) => metadata.deletionTimestamp !== undefined,
      );
      expect(victim.status.conditions.find(({ type }: Json) => type === "DisruptionTarget")).toMatchObject({
        status: "True",
        reason: "PreemptionByScheduler",
      });
      await expectStatus(200, api.patch(`${pods}/victim-pod`, { metadata: { finalizers: null } }));
      await running("preemptor-pod");
      await expectStatus(200, api.delete(`${pods}/preemptor-pod`));
    },
  },
  {
    tier: "C",
    codename:
      "[sig-apps] ControllerRevision should manage the lifecycle of a ControllerRevision [Conformance] [Serial]",
    check: async (api) => {
      const namespace = await api.namespace("revisions");
      const labels = { "daemonset-name": `e2e-${api.encoding}` };
      const selector = `labelSelector=daemonset-name%3De2e-${api.encoding}`;
      const apps = `/apis/apps/v1/namespaces/${namespace}`;
      const daemonSet = {
        apiVersion: "apps/v1",
        kind: "DaemonSet",
        metadata: { name: "e2e", labels },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "example.com/server" }] } },
        },
      };
      await expectStatus(201, api.post(`${apps}/daemonsets`, daemonSet));
      const set = await eventually(
        () => expectStatus(200, api.get(`${apps}/daemonsets/e2e`)),
        ({ status }) => status?.numberReady === 3,
      );
      expect((await expectStatus(200, api.get(`/apis/apps/v1/daemonsets?${selector}`))).items).toHaveLength(1);
      const revisions = `${apps}/controllerrevisions`;
      const listed = async (count: number): Promise<Json[]> =>
        (
          await eventually(
            () => expectStatus(200, api.get(`${revisions}?${selector}`)),
            ({ items }) => items?.length === count,
          )
        ).items;
      const everywhere = await expectStatus(200, api.get(`/apis/apps/v1/controllerrevisions?${selector}`));
      expect(everywhere.items).toHaveLength(1);
      const [first] = everywhere.items;
      expect(first.metadata.ownerReferences[0]).toMatchObject({ kind: "DaemonSet", uid: set.metadata.uid });
      const path = `${revisions}/${first.metadata.name}`;
      const patch = { metadata: { labels: { [first.metadata.name]: "patched" } } };
      const patched = await expectStatus(200, api.patch(path, patch, "strategic"));
      expect(patched.metadata.labels).toMatchObject(patch.metadata.labels);

      const { ownerReferences } = first.metadata;
      const metadata = {
        name: "e2e-other",
        labels: { ...labels, "controller-revision-hash": "other" },
        ownerReferences,
      };
      const second = { apiVersion: "apps/v1", kind: "ControllerRevision", metadata, data: first.data, revision: 2 };
      await expectStatus(201, api.post(revisions, second));
      await listed(2);
      await expectStatus(200, api.delete(path));
      const [left] = await listed(1);
      const mark = `updated-${api.encoding}`;
      const updated = await eventually(
        async () => {
          const body = await expectStatus(200, api.get(`${revisions}/${left.metadata.name}`));
          body.metadata.labels[mark] = "updated";
          return api.put(`${revisions}/${left.metadata.name}`, body);
        },
        ({ status }) => status === 200,
      );
      expect(updated.json.metadata.labels[mark]).toBe("updated");
      const change = { spec: { template: { spec: { terminationGracePeriodSeconds: 1 } } } };
      await expectStatus(200, api.patch(`${apps}/daemonsets/e2e`, change, "strategic"));
      await listed(2);
      await expectStatus(200, api.delete(`${revisions}?labelSelector=${mark}%3Dupdated`));
      const [last] = await listed(1);
      expect(Number(last.revision)).toBe(3);
    },
  },
];

describeArea(tests);
