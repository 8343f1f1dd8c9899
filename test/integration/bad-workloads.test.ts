import {
  type ApiObject,
  cronJobs,
  deployments,
  horizontalPodAutoscalers,
  isApiError,
  jobs,
  type Pod,
  pods,
  type ReplicaSet,
  replicaSets,
  type ResourceType,
  statefulSets,
} from "@kintsugi/api";
import { startVirtualCluster, type VirtualCluster } from "@kintsugi/simulator/factory";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

// Invalid input of workloads in a whole cluster: upstream's messages and conditions, without other
// changes.

const second = 1000;
const template = (app: string, image = "script.kintsugi.dev/run") => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: "main", image }] },
});
const metadata = { name: "bad", namespace: "default" };
const selector = { matchLabels: { app: "web" } };
const jobTemplate = { spec: { template: { spec: { ...template("web").spec, restartPolicy: "Never" } } } };
const owner = (name: string) => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  name,
  uid: `uid-${name}`,
  controller: true,
});

type Case = [what: string, type: ResourceType<ApiObject>, object: object, message: string];

const refused: Case[] = [
  [
    "a selector that does not match its template",
    deployments as ResourceType<ApiObject>,
    { metadata, spec: { selector, template: template("other") } },
    'Deployment.apps "bad" is invalid: spec.template.metadata.labels: Invalid value: {"app":"other"}: `selector` does not match template `labels`',
  ],
  [
    "a negative number of replicas",
    replicaSets as ResourceType<ApiObject>,
    { metadata, spec: { replicas: -1, selector, template: template("web") } },
    'ReplicaSet.apps "bad" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
  ],
  [
    "a negative start ordinal",
    statefulSets as ResourceType<ApiObject>,
    { metadata, spec: { serviceName: "web", selector, template: template("web"), ordinals: { start: -1 } } },
    'StatefulSet.apps "bad" is invalid: spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0',
  ],
  [
    "negative completions",
    jobs as ResourceType<ApiObject>,
    { metadata, spec: { completions: -1, ...jobTemplate.spec } },
    'Job.batch "bad" is invalid: spec.completions: Invalid value: -1: must be greater than or equal to 0',
  ],
  [
    "a minute that is never reached",
    cronJobs as ResourceType<ApiObject>,
    { metadata, spec: { schedule: "61 * * * *", jobTemplate } },
    'CronJob.batch "bad" is invalid: spec.schedule: Invalid value: "61 * * * *": end of range (61) above maximum (59): 61',
  ],
  [
    "a time zone of another planet",
    cronJobs as ResourceType<ApiObject>,
    { metadata, spec: { schedule: "* * * * *", timeZone: "Mars/Olympus", jobTemplate } },
    'CronJob.batch "bad" is invalid: spec.timeZone: Invalid value: "Mars/Olympus": unknown time zone Mars/Olympus',
  ],
  [
    "a pod with two controllers",
    pods as ResourceType<ApiObject>,
    { metadata: { ...metadata, ownerReferences: [owner("a"), owner("b")] }, spec: template("web").spec },
    'Only one reference can have Controller set to true. Found "true" in references for ReplicaSet/a and ReplicaSet/b',
  ],
  [
    "an autoscaler whose least size is above its largest",
    horizontalPodAutoscalers as ResourceType<ApiObject>,
    {
      metadata,
      spec: {
        minReplicas: 3,
        maxReplicas: 2,
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      },
    },
    'HorizontalPodAutoscaler.autoscaling "bad" is invalid: spec.maxReplicas: Invalid value: 2: must be greater than or equal to `minReplicas`',
  ],
];

describe("a cluster with invalid workloads", () => {
  let cluster: VirtualCluster;
  beforeAll(async () => {
    cluster = await startVirtualCluster({ nodes: 2, profile: "fast" });
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  test.each(refused)("rejects %s", async (_, type, object, message) => {
    const refusal = await cluster
      .during(cluster.client.create(type, object as ApiObject))
      .catch((error: unknown) => error);
    expect(isApiError(refusal, "Invalid")).toBe(true);
    expect((refusal as Error).message).toContain(message);
    expect(
      cluster.store.list(`${type.group === "" ? "core" : type.group}/${type.resource}/default/bad`).entries,
    ).toEqual([]);
  });

  test("leaves each of two sets with the same selector its own pods", async () => {
    const set = (name: string): ReplicaSet => ({
      metadata: { name, namespace: "default" },
      spec: { replicas: 2, selector, template: template("web") },
    });
    for (const name of ["one", "two"]) await cluster.during(cluster.client.create(replicaSets, set(name)));
    await cluster.advance(10 * second);
    const listed = async () => (await cluster.client.list(pods, { namespace: "default" })).items;
    const owners = (all: readonly Pod[]) =>
      all.map((pod) => pod.metadata.ownerReferences?.map(({ name }) => name).join());
    const before = await listed();
    expect(owners(before).toSorted((a = "", b = "") => a.localeCompare(b))).toEqual(["one", "one", "two", "two"]);
    await cluster.advance(60 * second);
    const uids = (all: readonly Pod[]) =>
      all.map(({ metadata: { uid = "" } }) => uid).toSorted((a, b) => a.localeCompare(b));
    expect(uids(await listed())).toEqual(uids(before));
  });

  test("states for a pod with an invalid image name why it does not run", async () => {
    const name = "nameless";
    const pod: Pod = { metadata: { name, namespace: "default" }, spec: template("x", "UPPER//::bad").spec };
    await cluster.during(cluster.client.create(pods, pod));
    await cluster.advance(10 * second);
    const { status } = await cluster.client.get(pods, { namespace: "default", name });
    expect(status?.phase).toBe("Pending");
    expect(status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe("InvalidImageName");
  });
});
