import {
  type Deployment,
  formatTimestamp,
  type HorizontalPodAutoscaler,
  type HorizontalPodAutoscalerSpec,
  type MetricSpec,
} from "@kintsugi/api";
import { aPod, ControllerTestCluster } from "../../../testing/test-cluster.ts";
import { horizontalPodAutoscalerController } from "../controller.ts";

/** The path of the pods' metrics. */
export const usagePath = "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods";

/** A metric of the CPU, in percent of the pods' requests. */
export const cpu = (averageUtilization: number): MetricSpec => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

/** A Deployment of pods that request one core, an autoscaler for 50 percent, and a load. */
export class Scene {
  readonly cluster = new ControllerTestCluster();
  readonly sizes: number[] = [];

  constructor(replicas: number, spec: Partial<HorizontalPodAutoscalerSpec> = {}) {
    this.cluster.put("deployments", {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", namespace: "default" },
      spec: { replicas, selector: { matchLabels: { app: "web" } }, template: {} },
      status: { replicas },
    } as never);
    this.autoscale("web", spec);
    this.cluster.api.log.subscribe((change) => {
      if (change.resource === "deployments") this.sizes.push((change.object as Deployment).spec?.replicas ?? 0);
    });
  }

  autoscale(name: string, spec: Partial<HorizontalPodAutoscalerSpec> = {}): void {
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
    this.cluster.put("horizontalpodautoscalers", {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name, namespace: "default" },
      spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 10, metrics: [cpu(50)], ...spec },
    } as never);
  }

  /** Runs `pods` pods, which share `millis` thousandths of a core. */
  load(pods: number, millis: number): void {
    const { cluster } = this;
    for (const pod of cluster.pods()) cluster.remove("pods", pod);
    const nowMs = cluster.clock.nowMs();
    const requests = { cpu: "1", memory: "1Gi" };
    const names = Array.from({ length: pods }, (_, index) => `web-${index}`);
    for (const name of names) {
      const pod = aPod(name, { readySinceMs: nowMs - 3_600_000 });
      const startTime = formatTimestamp(nowMs - 3_660_000);
      const containers = [{ name: "main", image: "busybox", resources: { requests } }];
      cluster.put("pods", { ...pod, spec: { ...pod.spec, containers }, status: { ...pod.status, startTime } } as never);
    }
    const usage = { cpu: `${Math.round(millis / pods)}m`, memory: "100Mi" };
    cluster.answers.set(usagePath, {
      items: names.map((name) => ({
        metadata: { name, namespace: "default" },
        timestamp: formatTimestamp(nowMs),
        window: "15s",
        containers: [{ name: "main", usage }],
      })),
    });
  }

  async start(): Promise<void> {
    await this.cluster.start(horizontalPodAutoscalerController);
    await this.cluster.clock.advance(100);
  }

  get replicas(): number {
    return this.cluster.find<Deployment>("deployments", "web")?.spec?.replicas ?? -1;
  }

  autoscaler(name = "web"): HorizontalPodAutoscaler {
    return this.cluster.find<HorizontalPodAutoscaler>("horizontalpodautoscalers", name) as HorizontalPodAutoscaler;
  }

  condition(type: string, name = "web"): string {
    const found = this.autoscaler(name).status?.conditions?.find((condition) => condition.type === type);
    return `${found?.status} ${found?.reason}: ${found?.message}`;
  }
}
