import type { ApiObject, CronJob, HorizontalPodAutoscaler, Job, Node } from "@kintsugi/api";

/** Limit on pods of one workload that wait for room; further pods do not change the answer. */
const waitingMax = 200;
/**
 * A Job that requests 100,000 simultaneous pods fills every node with programs that a rehearsal
 * starts one by one. This number is enough to lose work. The pods in a source are all kept.
 */
const jobPodsMax = 50;
/** A kubelet's own limit is 110; a node that claims more than this has a wrong number. */
const podsOfNodeMax = 2_500;

/**
 * Returns the number of pods for which all nodes have room, plus the number that one workload may
 * have waiting.
 */
export function podsMaxOf(nodeList: readonly Node[]): number {
  const rooms = nodeList.map(({ status }) => Number(status?.allocatable?.["pods"] ?? podsOfNodeMax));
  const isRoom = (room: number) => room >= 0 && room <= podsOfNodeMax;
  return rooms.reduce((sum, room) => sum + (isRoom(room) ? room : podsOfNodeMax), waitingMax);
}

type Replicated = ApiObject & { spec?: { replicas?: number | undefined } | undefined };

/**
 * Returns the object limited to this many pods at a time; undefined if the object does not request
 * more pods. Users choose the number freely, and a rehearsal of 2147483647 replicas would create
 * pods until its memory is full.
 */
export function withPodsMax(resource: string, object: ApiObject, podsMax: number): ApiObject | undefined {
  switch (resource) {
    case "deployments":
    case "replicasets":
    case "replicationcontrollers":
    case "statefulsets": {
      const { spec } = object as Replicated;
      return (spec?.replicas ?? 1) > podsMax
        ? ({ ...object, spec: { ...spec, replicas: podsMax } } as Replicated)
        : undefined;
    }
    case "jobs": {
      const job = object as Job;
      const most = Math.min(podsMax, Math.max(jobPodsMax, job.status?.active ?? 0));
      return isCrowd(job.spec, most) ? ({ ...job, spec: { ...job.spec, parallelism: most } } as Job) : undefined;
    }
    case "cronjobs": {
      const { spec } = object as CronJob;
      const job = spec?.jobTemplate.spec;
      if (!isCrowd(job, podsMax)) return undefined;
      const jobTemplate = { ...spec?.jobTemplate, spec: { ...job, parallelism: podsMax } };
      return { ...object, spec: { ...spec, jobTemplate } } as CronJob;
    }
    case "horizontalpodautoscalers": {
      const { spec } = object as HorizontalPodAutoscaler;
      if ((spec.minReplicas ?? 1) <= podsMax) return undefined;
      return { ...object, spec: { ...spec, minReplicas: podsMax } } as HorizontalPodAutoscaler;
    }
    default:
      return undefined;
  }
}

function isCrowd(spec: Job["spec"], podsMax: number): boolean {
  return Math.min(spec?.parallelism ?? 1, spec?.completions ?? Infinity) > podsMax;
}
