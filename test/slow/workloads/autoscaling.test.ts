import { afterAll, beforeAll, expect, test } from "vitest";
import { findKubectls, sayWhyNot, whyNoClusters } from "../../support/host-abilities.ts";
import { type LabCluster, startLabCluster } from "../../support/lab-cluster.ts";
import { eventually } from "../../support/run-program.ts";
import { showsEvents } from "../../support/observe/shows-events.ts";

const cannot = sayWhyNot("autoscaling of real containers", whyNoClusters());

let cluster: LabCluster;
beforeAll(async () => {
  if (cannot) return;
  // The profile fast decides every 3 s.
  cluster = await startLabCluster({ name: "autoscaling", nodes: 1 });
  await cluster.apply(deployments);
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

const deployments = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      terminationGracePeriodSeconds: 0
      containers:
        - name: web
          image: busybox:1
          command: [sleep, "3600"]
          resources: { requests: { cpu: 50m }, limits: { cpu: 200m } }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: unmeasured }
spec:
  selector: { matchLabels: { app: unmeasured } }
  template:
    metadata: { labels: { app: unmeasured } }
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{ name: web, image: "busybox:1", command: [sleep, "3600"] }]
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: web }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
  maxReplicas: 2
  metrics: [{ type: Resource, resource: { name: cpu, target: { type: Utilization, averageUtilization: 60 } } }]
  behavior: { scaleDown: { stabilizationWindowSeconds: 3 } }
`;

interface Autoscaler {
  spec: { minReplicas: number; maxReplicas: number; metrics: object[] };
  status: {
    currentReplicas?: number;
    conditions?: { type: string; status: string; reason: string; message: string }[];
  };
}

const replicasOf = async (name: string) =>
  (await cluster.get<{ spec: { replicas: number } }>("deployment", name)).spec.replicas;

test.skipIf(cannot)("kubectl creates autoscalers, which state why they cannot scale, without a change", async () => {
  const programs = [...findKubectls().entries()];
  const chosen = programs.filter(
    ([version], index) => ["1.27", "1.33"].includes(version) || programs.length - 1 === index,
  );
  for (const [version, program] of chosen) {
    const name = `by-${version.replace(".", "-").toLowerCase()}`;
    const args = ["autoscale", "deployment", "unmeasured", "--name", name, "--min=1", "--max=3", "--cpu-percent=70"];
    const made = await cluster.tryKubectl(args, { program });
    expect(made.stdout).toContain(`${name} autoscaled`);
    await eventually("it has tried", async () => {
      const { status } = await cluster.get<Autoscaler>("hpa", name);
      return status.conditions?.some(({ type }) => type === "ScalingActive") === true;
    });
    const { spec, status } = await cluster.get<Autoscaler>("hpa", name);
    expect(spec).toMatchObject({ minReplicas: 1, maxReplicas: 3 });
    const active = status.conditions?.find(({ type }) => type === "ScalingActive");
    expect(active).toMatchObject({ status: "False", reason: "FailedGetResourceMetric" });
    expect(active?.message).toMatch(
      /^the HPA was unable to compute the replica count: failed to get cpu utilization: /,
    );
    const shown = await cluster.tryKubectl(["get", "hpa", name], { program });
    expect(shown.stdout).toMatch(/Deployment\/unmeasured +cpu: <unknown>\/70% +1 +3 +1 /);
    await cluster.kubectl("delete", "hpa", name);
  }
  expect(await replicasOf("unmeasured")).toBe(1);
});

test.skipIf(cannot)("a Deployment under load gets a second pod, and loses it when the load ends", async () => {
  // The container's limit keeps the load small; the timeout ends the load if the test does not.
  const pod = (await cluster.kubectl("get", "pod", "-l", "app=web", "-o", "name")).trim();
  const work = "while [ ! -e /tmp/enough ]; do :; done";
  const load = cluster.tryKubectl(["exec", pod, "--", "timeout", "60", "sh", "-c", work]);
  await eventually("there are two", async () => (await replicasOf("web")) === 2, 60_000);
  await cluster.kubectl("exec", pod, "--", "touch", "/tmp/enough");
  const describeHpa = () => cluster.kubectl("describe", "hpa", "web");
  expect(await describeHpa()).toMatch(/AbleToScale +True/);
  await showsEvents(cluster, describeHpa, [
    /SuccessfulRescale .*New size: 2; reason: cpu resource utilization \(percentage of request\) above target/,
  ]);
  await load;
  await eventually("there is one again", async () => (await replicasOf("web")) === 1, 60_000);
  await showsEvents(cluster, describeHpa, [/New size: 1; reason: All metrics below target/]);
});
