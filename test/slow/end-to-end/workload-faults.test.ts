import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { followServing, isServing, type ServingRemoval } from "../../support/observe/follow-serving.ts";
import { sayWhyNot, whyNoKubectlCluster } from "../../support/host-abilities.ts";
import { type KubernetesObject, type LabCluster, startLabCluster } from "../../support/lab-cluster.ts";
import { eventually } from "../../support/run-program.ts";
import { withTimeline } from "../../support/observe/with-timeline.ts";

// Every kind of workload with the same faults of the same three nodes at the same time:
//
//   agent   a DaemonSet                    its pods remain where they are
//   web     a Deployment that an HPA keeps at 3
//   rc      a ReplicationController
//   tick    a CronJob that starts every minute; a Job of it also begins with each fault
//   db      a StatefulSet; its own file has its faults, and this one an update

const lacking = whyNoKubectlCluster();
const cannot = sayWhyNot("faults of all workloads at once", lacking);

/** The same image by another name: a change of the template that works. */
const otherName = "docker.io/library/busybox:1";
const nodes = ["node-1", "node-2", "node-3"] as const;
const completions = 9;

const podSpec = (app: string) => `
      terminationGracePeriodSeconds: 0
      topologySpreadConstraints:
        - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: ${app}}}}
      containers: [{name: c, image: "busybox:1", command: [sleep, "3600"], resources: {requests: {cpu: 10m}}}]`;
const template = (app: string) => `
  selector: {matchLabels: {app: ${app}}}
  template:
    metadata: {labels: {app: ${app}}}
    spec:${podSpec(app)}`;

const manifest = `apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:${template("agent")}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}${template("web")}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 3
  maxReplicas: 4
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 1000}}}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}
---
apiVersion: v1
kind: ReplicationController
metadata: {name: rc}
spec:
  replicas: 3
  selector: {app: rc}
  template:
    metadata: {labels: {app: rc}}
    spec:${podSpec("rc")}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 3
  serviceName: db
  podManagementPolicy: Parallel${template("db")}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: tick}
spec:
  schedule: "* * * * *"
  successfulJobsHistoryLimit: 10
  jobTemplate:
    spec:
      completions: ${completions}
      parallelism: 3
      backoffLimit: 50
      template:
        metadata: {labels: {app: tick}}
        spec:
          restartPolicy: Never
          terminationGracePeriodSeconds: 0
          topologySpreadConstraints:
            - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: tick}}}
          containers: [{name: c, image: "busybox:1", command: [sleep, "3"]}]
`;

type JobObject = KubernetesObject & { status: { succeeded?: number; terminating?: number } };
type AutoscalerObject = KubernetesObject & { status: { desiredReplicas?: number } };

describe.skipIf(cannot)("all kinds of workloads on a node that", () => {
  let cluster: LabCluster;
  const podsOf = async (selector: string) =>
    (await cluster.get<{ items: KubernetesObject[] }>("pods", "-l", selector)).items;
  const nodesOf = (pods: readonly KubernetesObject[]) => pods.map(({ spec }) => spec.nodeName ?? "").toSorted();
  /** Waits until exactly this many pods exist and serve, on other nodes. */
  const serve = (app: string, count: number, elsewhereThan?: string) =>
    eventually(
      `${count} pods of ${app} serve${elsewhereThan === undefined ? "" : ` outside ${elsewhereThan}`}`,
      async () => {
        const pods = (await podsOf(`app=${app}`)).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
        const all = pods.length === count && pods.every(isServing);
        return all && pods.every(({ spec }) => spec.nodeName !== elsewhereThan) ? pods : undefined;
      },
    );
  const move = (from: string) => Promise.all([serve("web", 3, from), serve("rc", 3, from)]);
  const daemons = async () => new Map((await podsOf("app=agent")).map((pod) => [pod.spec.nodeName ?? "", pod]));
  const startJob = async (job: string, node: string) => {
    await cluster.kubectl("create", "job", job, "--from=cronjob/tick");
    await eventually(`a pod of ${job} runs on ${node}`, async () =>
      (await podsOf(`job-name=${job}`)).some(
        ({ spec, status }) => spec.nodeName === node && status.phase === "Running",
      ),
    );
  };
  const jobEnds = async (job: string) => {
    await cluster.kubectl("wait", `job/${job}`, "--for=condition=complete", "--timeout=60s");
    const { status } = await cluster.get<JobObject>("job", job);
    // Pods that have ended are removed with their node, so only the status counts them.
    const exact = { job, succeeded: completions, terminating: 0, uncountedTerminatedPods: {} };
    expect({ job, ...status }).toMatchObject(exact);
  };
  /** Every kind has recovered, and the daemon pods were not replaced. */
  const whole = async (before: ReadonlyMap<string, KubernetesObject>) => {
    const after = await serve("agent", 3);
    expect(Object.fromEntries(after.map(({ spec, metadata }) => [spec.nodeName, metadata.uid]))).toEqual(
      Object.fromEntries([...before].map(([node, { metadata }]) => [node, metadata.uid])),
    );
    await eventually("no pod is on its way out", async () =>
      (await podsOf("app in (web,rc,agent)")).every(({ metadata }) => metadata.deletionTimestamp === undefined),
    );
    await Promise.all([serve("web", 3), serve("rc", 3)]);
    const { status } = await cluster.get<AutoscalerObject>("hpa", "web");
    expect(status.desiredReplicas).toBe(3);
  };

  beforeAll(async () => {
    cluster = await startLabCluster({ name: "faults", nodes: nodes.length });
    await cluster.apply(manifest);
    await withTimeline(cluster, async () => {
      await Promise.all([serve("agent", 3), serve("web", 3), serve("rc", 3), serve("db", 3)]);
    });
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test("is killed move or wait as their kind does, and are complete once it returns", () =>
    withTimeline(cluster, async () => {
      const before = await daemons();
      await startJob("at-kill", "node-3");
      await cluster.kintsugi("node", "kill", "node-3");
      await move("node-3");
      const left = (await daemons()).get("node-3");
      expect([left?.metadata.uid, left?.metadata.deletionTimestamp]).toEqual([
        before.get("node-3")?.metadata.uid,
        undefined,
      ]);
      await cluster.kintsugi("node", "return", "node-3");
      await whole(before);
      await jobEnds("at-kill");
    }));

  test("is drained move within their budgets, and the Job runs its pods again", () =>
    withTimeline(cluster, async () => {
      const before = await daemons();
      await startJob("at-drain", "node-2");
      expect(nodesOf(await podsOf("app=web"))).toContain("node-2");
      await using web = await followServing(cluster, "web");
      await cluster.kubectl("drain", "node-2", "--ignore-daemonsets", "--timeout=60s");
      await move("node-2");
      await whole(before);
      await cluster.kubectl("uncordon", "node-2");
      await jobEnds("at-drain");
      expect(web.fewestServing()).toBeGreaterThanOrEqual(2);
    }));

  test("is partitioned move, and never run twice once the cable is reconnected", () =>
    withTimeline(cluster, async () => {
      const before = await daemons();
      await startJob("at-partition", "node-1");
      expect(nodesOf(await podsOf("app=web"))).toContain("node-1");
      await cluster.kintsugi("node", "partition", "node-1");
      await move("node-1");
      await cluster.kintsugi("node", "heal", "node-1");
      await whole(before);
      await jobEnds("at-partition");
    }));

  test("fails in the middle of an update of each are updated completely, and never below their budgets", () =>
    withTimeline(cluster, async () => {
      // Two nodes remain for the daemons while the third is down, and one of two may be updated.
      // The controller of a StatefulSet may remove its next pod at the moment at which the node
      // fails with another pod, before it can detect that.
      const apps = { web: 3, db: 1, agent: 1 };
      await using web = await followServing(cluster, "web");
      await using db = await followServing(cluster, "db");
      await using agent = await followServing(cluster, "agent");
      const followed = { web, db, agent };
      await Promise.all([serve("web", 3), serve("db", 3), serve("agent", 3)]);
      await cluster.kubectl("set", "image", "deploy/web", "sts/db", "ds/agent", `c=${otherName}`);
      await cluster.kintsugi("node", "kill", "--fence", "node-3");
      await Promise.all([serve("web", 3, "node-3"), serve("db", 3, "node-3")]);
      await cluster.kintsugi("node", "return", "node-3");
      for (const workload of ["deploy/web", "sts/db", "ds/agent"]) {
        await cluster.kubectl("rollout", "status", workload, "--timeout=40s");
      }
      for (const app of Object.keys(apps) as (keyof typeof apps)[]) {
        const images = (await serve(app, 3)).map((pod) => (pod as unknown as Imaged).spec.containers[0]?.image);
        expect({ app, images }).toEqual({ app, images: [otherName, otherName, otherName] });
        // The pods that were lost with the node were not removed by a controller.
        const tooFew = followed[app].removals().filter(isBelow(apps[app]));
        expect({ app, tooFew }).toEqual({ app, tooFew: [] });
        expect({ app, removals: followed[app].removals().length }).not.toEqual({ app, removals: 0 });
      }
    }));

  test("had all of these faults have run the CronJob's Jobs once for each time, and counted them exactly", () =>
    withTimeline(cluster, async () => {
      type Jobs = { items: (JobObject & { metadata: { name: string } })[] };
      const fired = async () =>
        (await cluster.get<Jobs>("jobs")).items.filter(({ metadata }) => /^tick-\d+$/.test(metadata.name));
      await eventually("it has fired", async () => (await fired()).length > 0, 65_000);
      await cluster.kubectl("patch", "cronjob", "tick", "-p", '{"spec":{"suspend":true}}');
      const jobs = await fired();
      expect(jobs.length).toBeGreaterThan(0);
      for (const { metadata } of jobs) await jobEnds(metadata.name);
    }));
});

type Imaged = { spec: { containers: { image: string }[] } };

const isBelow =
  (least: number) =>
  ({ node, servingLeft }: ServingRemoval) =>
    node !== "node-3" && servingLeft < least;
