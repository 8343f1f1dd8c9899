import {
  type Deployment,
  type DeploymentSpec,
  findCondition,
  formatTimestamp,
  isPodActive,
  isPodReady,
  type Pod,
  type ReplicaSet,
} from "@kintsugi/api";
import { replicaSetController } from "../../replica-set/controller.ts";
import { ControllerTestCluster } from "../../../testing/test-cluster.ts";
import { deploymentController } from "../controller.ts";

/** Pods of an image that begins with this never become ready. */
export const brokenImage = "broken";

const readyAfterMs = 300;

export function aDeployment(replicas: number, traits: Partial<DeploymentSpec> = {}, image = "web:1"): Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "default", uid: "uid-of-web", generation: 1 },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image }] } },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      ...traits,
    },
  };
}

/**
 * A Deployment with its controller, the controller of its sets, and a stand-in for the kubelet that
 * makes their pods ready. Retains the states that it saw at each revision.
 */
export class RolloutWorld {
  readonly cluster = new ControllerTestCluster();
  /**
   * The maximum of pods that were active at the same time, the maximum that the sets requested
   * together, and the minimum of ready pods since `watchFromNow`.
   */
  mostActive = 0;
  mostAsked = 0;
  fewestReady = Infinity;
  /** Pods of two images were active at the same time. */
  wereMixed = false;

  constructor(deployment: Deployment) {
    this.cluster.put("deployments", deployment);
    this.cluster.api.log.subscribe(() => this.#look());
  }

  async start(): Promise<void> {
    await this.cluster.start(replicaSetController, deploymentController);
  }

  /** Restarts the count. */
  watchFromNow(): void {
    this.mostActive = 0;
    this.mostAsked = 0;
    this.fewestReady = Infinity;
    this.wereMixed = false;
  }

  get deployment(): Deployment {
    const deployment = this.cluster.find<Deployment>("deployments", "web");
    if (deployment === undefined) throw new Error("the deployment has gone");
    return deployment;
  }

  get sets(): ReplicaSet[] {
    return this.cluster.api.log.list("replicasets") as ReplicaSet[];
  }

  /** Counts the active pods by image. */
  get images(): Record<string, number> {
    const images: Record<string, number> = {};
    for (const pod of this.active()) images[imageOf(pod)] = (images[imageOf(pod)] ?? 0) + 1;
    return images;
  }

  condition(type: string) {
    const { status, reason } = findCondition(this.deployment.status?.conditions, type) ?? {};
    return `${type}=${status}: ${reason}`;
  }

  /** Changes the spec like a user's write. */
  edit(change: Partial<DeploymentSpec>): void {
    const { deployment } = this;
    const generation = (deployment.metadata.generation ?? 0) + 1;
    const spec = { ...(deployment.spec as DeploymentSpec), ...change };
    this.cluster.put("deployments", {
      ...deployment,
      metadata: { ...deployment.metadata, generation },
      spec,
    } as Deployment);
  }

  rollOut(image: string): void {
    const template = this.deployment.spec?.template;
    this.edit({ template: { ...template, spec: { containers: [{ name: "main", image }] } } });
  }

  active(): Pod[] {
    return this.cluster.pods().filter((pod) => isPodActive(pod));
  }

  #look(): void {
    const active = this.active();
    this.mostActive = Math.max(this.mostActive, active.length);
    const asked = this.sets.reduce((sum, { spec }) => sum + (spec?.replicas ?? 0), 0);
    this.mostAsked = Math.max(this.mostAsked, asked);
    this.fewestReady = Math.min(this.fewestReady, active.filter(isPodReady).length);
    this.wereMixed ||= new Set(active.map(imageOf)).size > 1;
    for (const pod of active) if (pod.status?.phase === undefined) this.#run(pod);
  }

  #run(pod: Pod): void {
    const ready = { ...pod, status: { ...pod.status, phase: "Pending" as const } };
    this.cluster.put("pods", ready);
    if (imageOf(pod).startsWith(brokenImage)) return;
    this.cluster.clock.after(readyAfterMs, () => {
      const now = this.cluster.find<Pod>("pods", pod.metadata.name ?? "");
      if (now === undefined || now.metadata.uid !== pod.metadata.uid) return;
      const lastTransitionTime = formatTimestamp(this.cluster.clock.nowMs());
      const conditions = [{ type: "Ready", status: "True" as const, lastTransitionTime }];
      this.cluster.put("pods", { ...now, status: { ...now.status, phase: "Running", conditions } } as Pod);
    });
  }
}

function imageOf({ spec }: Pod): string {
  return spec?.containers[0]?.image ?? "";
}
