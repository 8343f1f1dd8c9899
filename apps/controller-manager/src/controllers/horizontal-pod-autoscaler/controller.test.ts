import { type Deployment, formatTimestamp, type MetricSpec } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import type { Interference } from "../../testing/test-cluster.ts";
import { cpu, Scene } from "./testing/autoscaled-scene.ts";

describe("an autoscaler", () => {
  test("scales up immediately, and down after the window, by its pods' usage", async () => {
    const scene = new Scene(2);
    scene.load(2, 2000);
    await scene.start();
    expect(scene.replicas).toBe(4);
    const { status } = scene.autoscaler();
    expect(status).toMatchObject({
      currentReplicas: 2,
      desiredReplicas: 4,
      currentMetrics: [
        { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 100, averageValue: "1" } } },
      ],
    });
    expect(status?.lastScaleTime).toBe(formatTimestamp(scene.cluster.clock.nowMs()));
    expect(scene.condition("AbleToScale")).toBe(
      "True SucceededRescale: the HPA controller was able to update the target scale to 4",
    );
    expect(scene.condition("ScalingActive")).toBe(
      "True ValidMetricFound: the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of request)",
    );
    expect(scene.condition("ScalingLimited")).toMatch(/^False DesiredWithinRange: /);
    expect(scene.cluster.reasons()).toEqual([
      "SuccessfulRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target",
    ]);
    scene.load(4, 400);
    await scene.cluster.clock.advance(290_000);
    expect(scene.replicas).toBe(4);
    expect(scene.condition("AbleToScale")).toMatch(/^True ScaleDownStabilized: /);
    await scene.cluster.clock.advance(30_000);
    expect(scene.replicas).toBe(1);
    expect(scene.cluster.reasons().at(-1)).toBe("SuccessfulRescale: New size: 1; reason: All metrics below target");
  });

  test("does not write while the usage does not change", async () => {
    const scene = new Scene(2);
    scene.load(2, 1000);
    await scene.start();
    const writes = () => scene.cluster.paths.filter((path) => path.startsWith("PUT")).length;
    const before = writes();
    await scene.cluster.clock.advance(120_000);
    expect(writes()).toBe(before);
    expect(scene.sizes).toEqual([]);
  });

  test.each([
    [20, "New size: 10; reason: Current number of replicas above Spec.MaxReplicas"],
    [1, "New size: 3; reason: Current number of replicas below Spec.MinReplicas"],
  ])("brings %d replicas into its bounds without any metric", async (replicas, message) => {
    const scene = new Scene(replicas, { minReplicas: 3 });
    await scene.start();
    expect(scene.cluster.reasons()[0]).toBe(`SuccessfulRescale: ${message}`);
    expect(scene.replicas).toBe(replicas === 20 ? 10 : 3);
  });

  test("does not change a workload that is scaled to zero", async () => {
    const scene = new Scene(0);
    await scene.start();
    expect(scene.condition("ScalingActive")).toBe(
      "False ScalingDisabled: scaling is disabled since the replica count of the target is zero",
    );
    expect(scene.sizes).toEqual([]);
  });

  test("is triggered by its spec and not by its status", async () => {
    const scene = new Scene(2);
    scene.load(2, 1000);
    await scene.start();
    const { clock } = scene.cluster;
    scene.cluster.put("horizontalpodautoscalers", { ...scene.autoscaler(), status: { desiredReplicas: 7 } } as never);
    await clock.advance(1000);
    expect(scene.autoscaler().status?.desiredReplicas).toBe(7);
    const { spec } = scene.autoscaler();
    scene.cluster.put("horizontalpodautoscalers", {
      ...scene.autoscaler(),
      spec: { ...spec, minReplicas: 3 },
    } as never);
    await clock.advance(1000);
    expect(scene.replicas).toBe(3);
  });
});

describe("if an input is missing", () => {
  const unable = "the HPA was unable to compute the replica count";
  test("the condition and the events have upstream's words, and nothing else is written", async () => {
    const scene = new Scene(2);
    await scene.start();
    const because =
      "failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)";
    expect(scene.condition("ScalingActive")).toBe(`False FailedGetResourceMetric: ${unable}: ${because}`);
    expect(scene.condition("AbleToScale")).toMatch(/^True SucceededGetScale: /);
    expect(scene.cluster.reasons()).toEqual([
      `FailedGetResourceMetric: ${because}`,
      `FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: ${because}`,
    ]);
    expect(scene.autoscaler().status).toMatchObject({ currentReplicas: 2, desiredReplicas: 0 });
    expect(scene.sizes).toEqual([]);
  });

  const metric = { name: "requests", selector: { matchLabels: { a: "b" } } };
  const average = { type: "AverageValue" as const, averageValue: "10" };
  const customMissing =
    "unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered";
  test.each<[string, MetricSpec, string]>([
    [
      "FailedGetPodsMetric",
      { type: "Pods", pods: { metric, target: average } },
      `unable to get metric requests: ${customMissing}`,
    ],
    [
      "FailedGetObjectMetric",
      {
        type: "Object",
        object: {
          describedObject: { apiVersion: "v1", kind: "Service", name: "s" },
          metric,
          target: { type: "Value", value: "5" },
        },
      },
      `unable to get metric requests: Service on default s/${customMissing}`,
    ],
    [
      "FailedGetExternalMetric",
      { type: "External", external: { metric, target: average } },
      "failed to get requests external metric: unable to get external metric default/requests/&LabelSelector{MatchLabels:map[string]string{a: b,},MatchExpressions:[]LabelSelectorRequirement{},}: unable to fetch metrics from external metrics API: the server could not find the requested resource (get requests.external.metrics.k8s.io)",
    ],
    [
      "FailedGetContainerResourceMetric",
      { type: "ContainerResource", containerResource: { name: "cpu", container: "other", target: average } },
      "failed to get cpu usage: unable to get metrics for resource cpu: failed to get container metrics: container other not present in metrics for pod default/web-0",
    ],
  ])("%s", async (reason, spec, because) => {
    const scene = new Scene(2, { metrics: [spec] });
    scene.load(2, 1000);
    await scene.start();
    expect(scene.condition("ScalingActive")).toBe(`False ${reason}: ${unable}: ${because}`);
    expect(scene.sizes).toEqual([]);
  });

  test("the other metrics scale up but not down", async () => {
    const missing: MetricSpec = { type: "External", external: { metric, target: average } };
    const scene = new Scene(4, { metrics: [missing, cpu(50)] });
    scene.load(4, 400);
    await scene.start();
    await scene.cluster.clock.advance(400_000);
    expect(scene.replicas).toBe(4);
    scene.load(4, 3000);
    await scene.cluster.clock.advance(15_000);
    expect(scene.replicas).toBe(6);
    const { currentMetrics } = scene.autoscaler().status ?? {};
    expect(currentMetrics?.map(({ type }) => type as string)).toEqual(["", "Resource"]);
  });

  test.each([
    [{ kind: "Deployment", apiVersion: "apps/v1", name: "gone" }, 'deployments "gone" not found'],
    [{ kind: "Lamp", apiVersion: "example.com/v1", name: "x" }, 'no matches for kind "Lamp" in group "example.com"'],
    [{ kind: "Node", apiVersion: "v1", name: "n" }, 'no matches for kind "Node" in group ""'],
    [{ kind: "Deployment", apiVersion: "a/b/c", name: "web" }, "unexpected GroupVersion string: a/b/c"],
    [
      { kind: "HorizontalPodAutoscaler", apiVersion: "autoscaling/v2", name: "web" },
      "could not find scale subresource for autoscaling/v2, Resource=horizontalpodautoscalers in discovery information",
    ],
  ])("the scale of %j", async (scaleTargetRef, because) => {
    const scene = new Scene(2, { scaleTargetRef });
    await scene.start();
    expect(scene.condition("AbleToScale")).toBe(
      `False FailedGetScale: the HPA controller was unable to get the target's current scale: ${because}`,
    );
    expect(scene.cluster.reasons()).toEqual([`FailedGetScale: ${because}`]);
    expect(scene.sizes).toEqual([]);
  });

  test("a size that cannot be written", async () => {
    const scene = new Scene(2);
    scene.load(2, 2000);
    scene.cluster.interfere = (request) => {
      if (request.method === "PUT" && request.path.endsWith("/scale")) {
        const web = scene.cluster.find<Deployment>("deployments", "web") as Deployment;
        scene.cluster.put("deployments", {
          ...web,
          metadata: { ...web.metadata, labels: { changed: "true" } },
        } as never);
      }
      return "pass";
    };
    await scene.start();
    expect(scene.condition("AbleToScale")).toMatch(/^False FailedUpdateScale: .*the object has been modified/);
    expect(scene.cluster.reasons()[0]).toMatch(/^FailedRescale: New size: 4; reason: .* above target; error: /);
    scene.cluster.interfere = () => "pass";
    await scene.cluster.clock.advance(15_000);
    expect(scene.replicas).toBe(4);
  });

  test("two autoscalers of the same pods do not scale", async () => {
    const scene = new Scene(2);
    scene.autoscale("rival");
    scene.load(2, 1000);
    await scene.start();
    scene.load(2, 2000);
    await scene.cluster.clock.advance(60_000);
    const message = "pods by selector app=web are controlled by multiple HPAs: [{rival default} {web default}]";
    for (const name of ["web", "rival"]) {
      expect(scene.condition("ScalingActive", name)).toBe(`False AmbiguousSelector: ${message}`);
    }
    expect(scene.sizes).toEqual([]);
    scene.cluster.remove("horizontalpodautoscalers", scene.autoscaler("rival"));
    await scene.cluster.clock.advance(15_000);
    expect(scene.replicas).toBe(4);
  });
});

/** The fault applies to the k-th write and to all later writes. */
function failAtWrite(k: number, fate: ReturnType<Interference>) {
  let writes = 0;
  const interfere: Interference = (request) => {
    if (request.method !== "GET") writes++;
    return writes < k ? "pass" : writes === k && request.method !== "GET" ? fate : "hang";
  };
  return { interfere, reached: () => writes >= k };
}

test.each(["hang", "never answer", "lose answer", "refuse"] as const)(
  "a crash around any write leaves a correct size within the bounds (%s)",
  async (fate) => {
    let crashes = 0;
    for (let k = 1; k <= 4; k++) {
      const scene = new Scene(2, { maxReplicas: 5 });
      scene.load(2, 1000);
      await scene.start();
      const fault = failAtWrite(k, fate);
      scene.cluster.interfere = fault.interfere;
      scene.load(2, 6000);
      await scene.cluster.clock.advance(40_000);
      if (fault.reached()) crashes++;
      await scene.cluster.kill();
      scene.cluster.interfere = () => "pass";
      await scene.start();
      await scene.cluster.clock.advance(60_000);
      expect({ k, replicas: scene.replicas }).toEqual({ k, replicas: 5 });
      expect(scene.sizes.every((size) => size >= 2 && size <= 5)).toBe(true);
      expect(scene.sizes).toEqual(scene.sizes.toSorted((a, b) => a - b));
      expect(scene.autoscaler().status).toMatchObject({ currentReplicas: 5, desiredReplicas: 5 });
      // The window starts again with the process, so a restart never scales down early.
      scene.load(5, 100);
      await scene.cluster.clock.advance(200_000);
      expect(scene.replicas).toBe(5);
      await scene.cluster.kill();
    }
    expect(crashes).toBeGreaterThanOrEqual(2);
  },
);
