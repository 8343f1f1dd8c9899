import {
  applyDefaults,
  formatTimestamp,
  isPodTerminal,
  type Job,
  jobKind,
  type JobSpec,
  type Pod,
} from "@kintsugi/api";
import { ControllerTestCluster } from "../../../testing/test-cluster.ts";
import { jobController } from "../controller.ts";

/** The end of a pod's container: its exit code, or "stays" for a container that keeps running. */
type Ending = number | "stays";

export function aJob(spec: Partial<JobSpec>, podSpec: object = {}): Job {
  const uid = "uid-of-sum";
  const labels = { "batch.kubernetes.io/controller-uid": uid };
  const job: Job = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "sum", namespace: "default", uid, generation: 1 },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { restartPolicy: "Never", containers: [{ name: "c", image: "busybox" }], ...podSpec },
      },
      ...spec,
    },
  };
  return applyDefaults(jobKind, job);
}

/**
 * A Job with its controller, and stand-ins for the scheduler and the kubelet that run its pods. The
 * world records each pod that really ended, and compares the record with the Job's status at each
 * revision.
 */
export class JobWorld {
  readonly cluster = new ControllerTestCluster();
  readonly succeededUids = new Set<string>();
  readonly failedUids = new Set<string>();
  /** Revisions at which the status counted more successes than pods had succeeded. */
  readonly faults: string[] = [];
  mostActive = 0;
  /** Returns the end of the nth created pod, from 0. */
  ending: (pod: Pod, nth: number) => Ending = () => 0;
  runMs = 1000;
  /** Terminated pods are deleted immediately, as a garbage collector or a user may do. */
  removesEnded = false;
  /** The node of the pods is lost, so deletions there never finish. */
  kubeletIsDead = false;
  #created = 0;

  constructor(job: Job) {
    this.cluster.put("jobs", job);
    this.cluster.api.log.subscribe(({ resource, type, object }) => {
      if (resource === "pods" && type === "ADDED") this.#run(object as Pod, this.#created++);
      if (resource === "pods" && type === "MODIFIED") this.#stop(object as Pod);
      this.#look();
    });
  }

  get clock() {
    return this.cluster.clock;
  }

  get created(): number {
    return this.#created;
  }

  start(): Promise<void> {
    return this.cluster.start(jobController);
  }

  job(): Job {
    return this.cluster.find<Job>("jobs", "sum") as Job;
  }

  /** The status without its empty parts. */
  status() {
    return JSON.parse(JSON.stringify(this.job().status ?? {})) as NonNullable<Job["status"]>;
  }

  conditions(): string[] {
    return (this.job().status?.conditions ?? [])
      .filter(({ status }) => status === "True")
      .map(({ type, reason = "" }) => (reason === "" ? type : `${type}: ${reason}`));
  }

  change(spec: Partial<JobSpec>): void {
    const job = this.job();
    const generation = (job.metadata.generation ?? 0) + 1;
    this.cluster.put("jobs", {
      ...job,
      metadata: { ...job.metadata, generation },
      spec: { ...job.spec, ...spec },
    } as Job);
  }

  pods(): Pod[] {
    return this.cluster.pods();
  }

  active(): Pod[] {
    return this.pods().filter((pod) => !isPodTerminal(pod) && pod.metadata.deletionTimestamp === undefined);
  }

  /** Changes a pod, if it exists. */
  put(pod: Pod, change: (pod: Pod) => Pod): void {
    const current = this.cluster.find<Pod>("pods", pod.metadata.name ?? "");
    if (current === undefined || current.metadata.uid !== pod.metadata.uid) return;
    const changed = change(current);
    if (changed !== current) this.cluster.put("pods", changed);
  }

  #run(pod: Pod, nth: number): void {
    this.clock.after(10, () =>
      this.put(pod, (each) => ({
        ...each,
        spec: { containers: [], ...each.spec, nodeName: "n1" },
        status: { ...each.status, phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
      })),
    );
    this.clock.after(this.runMs, () => {
      const ending = this.ending(pod, nth);
      if (ending === "stays") return;
      this.end(pod, ending);
      if (this.removesEnded) this.clock.after(1, () => this.#delete(pod));
    });
  }

  end(pod: Pod, exitCode: number): void {
    const finishedAt = formatTimestamp(this.clock.nowMs());
    this.put(pod, (each) => {
      if (isPodTerminal(each)) return each;
      (exitCode === 0 ? this.succeededUids : this.failedUids).add(each.metadata.uid ?? "");
      const state = { terminated: { exitCode, finishedAt } };
      const ended = { ready: false, restartCount: 0, image: "busybox", imageID: "", state };
      const phase = exitCode === 0 ? "Succeeded" : "Failed";
      return {
        ...each,
        status: {
          ...each.status,
          phase,
          conditions: [{ type: "Ready", status: "False", reason: "PodCompleted" }],
          containerStatuses: [{ name: "c", ...ended }],
        },
      };
    });
  }

  #delete(pod: Pod): void {
    const current = this.cluster.find<Pod>("pods", pod.metadata.name ?? "");
    if (current === undefined || current.metadata.uid !== pod.metadata.uid) return;
    if ((current.metadata.finalizers ?? []).length === 0) return this.cluster.remove("pods", current);
    const deletionTimestamp = formatTimestamp(this.clock.nowMs());
    this.put(pod, (each) => ({ ...each, metadata: { ...each.metadata, deletionTimestamp } }));
  }

  /** A kubelet stops a deleted pod, and then removes it. */
  #stop(pod: Pod): void {
    const { deletionTimestamp, finalizers = [] } = pod.metadata;
    if (deletionTimestamp === undefined || this.kubeletIsDead) return;
    this.clock.after(20, () => {
      this.end(pod, 143);
      const current = this.cluster.find<Pod>("pods", pod.metadata.name ?? "");
      const isHeld = (current?.metadata.finalizers ?? finalizers).length > 0;
      if (current?.metadata.uid === pod.metadata.uid && current !== undefined && !isHeld) {
        this.cluster.remove("pods", current);
      }
    });
  }

  #look(): void {
    this.mostActive = Math.max(this.mostActive, this.active().length);
    const { status } = this.job() ?? {};
    if (status === undefined) return;
    const { succeeded = [] } = status.uncountedTerminatedPods ?? {};
    const counted = (status.succeeded ?? 0) + succeeded.length;
    if (counted > this.succeededUids.size) {
      this.faults.push(`${counted} successes at ${this.cluster.api.log.revision} of ${this.succeededUids.size}`);
    }
  }
}
