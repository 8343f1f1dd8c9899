import type { Random } from "@kintsugi/clock";
import { SeededRandom } from "@kintsugi/clock/simulated";
import { kindOf, pick, type ScenarioWorkload } from "@kintsugi/simulation";

const podsMax = 30;
const setsMax = 4;
const hasVolumes = 0.3;
const isDeployment = 0.4;
const hasService = 0.5;
const isImportant = 0.15;
/** Far from all seeds in use, and from the seeds of losses. */
const volumeSeedOffset = 0x40000000;
const deploymentSeedOffset = 0x50000000;
const serviceSeedOffset = 0x60000000;
const prioritySeedOffset = 0x70000000;
const kindSeedOffset = 0x68000000;
/** Half of the runs have only the kinds from before these kinds were added. */
const hasOtherKinds = 0.5;
const newerKindSeedOffset = 0x6c000000;
const hasNewerKinds = 0.5;
const isDaemonSet = 0.35;
const isEitherNewerKind = 0.6;
const isCronJob = 0.8;
const fenceSeedOffset = 0x64000000;
const hasFences = 0.4;
const isFenced = 0.5;
const autoscalerSeedOffset = 0x58000000;
const hasAutoscalers = 0.4;
const isAutoscaled = 0.5;
const jobScripts = ["sleep 3; exit 0", "sleep 7; exit 0", "sleep 20; exit 0"] as const;
const cronScripts = ["sleep 3; exit 0", "sleep 20; exit 0", "sleep 100; exit 0"] as const;
const scripts = ["sleep 7; exit 1", "sleep 20; exit 0", "sleep 3; exit 1", "exit 2"] as const;

/**
 * Draws the workloads of a run. Every trait that was added later has a random source of its own, so
 * that a seed whose run lacks the trait draws the same run as before.
 */
export function drawWorkloads(random: Random, seed: number, nodeCount: number): ScenarioWorkload[] {
  const traits = [
    withVolumes,
    asDeployments,
    asOtherKinds,
    asNewerKinds,
    withServices,
    withPriorities,
    withFences,
    withAutoscalers,
  ];
  return traits.reduce<ScenarioWorkload[]>((workloads, add) => add(seed, workloads), drawPlain(random, nodeCount));
}

/** Few enough pods that all of them fit on the nodes, with spare capacity. */
function drawPlain(random: Random, nodeCount: number): ScenarioWorkload[] {
  const sets = 1 + random.integer(setsMax);
  let podsLeft = Math.min(podsMax, 8 * nodeCount);
  return Array.from({ length: sets }, (_, index) => {
    const replicas = 1 + random.integer(Math.max(1, Math.floor(podsLeft / (sets - index))));
    podsLeft = Math.max(1, podsLeft - replicas);
    // The first workload always serves, so that a run has a final state that can be checked.
    const script = index > 0 && random.float() < 0.3 ? pick(random, scripts) : undefined;
    return {
      name: `app-${index + 1}`,
      replicas,
      ...(random.float() < 0.5 ? { cpu: pick(random, ["100m", "200m"]) ?? "100m" } : {}),
      ...(script === undefined ? {} : { script }),
      ...(random.float() < 0.3 ? { minAvailable: 1 + random.integer(replicas) } : {}),
      ...(random.float() < 0.3 ? { probes: true } : {}),
    };
  });
}

/**
 * Some workloads mount a ConfigMap and a Secret. The choice has a random source of its own, like
 * losses.
 */
function withVolumes(seed: number, workloads: readonly ScenarioWorkload[]): ScenarioWorkload[] {
  const random = new SeededRandom(seed + volumeSeedOffset);
  return workloads.map((workload) => (random.float() < hasVolumes ? { ...workload, volumes: true } : workload));
}

/**
 * Some of the running workloads are Deployments. The choice has a random source of its own, like
 * losses.
 */
function asDeployments(seed: number, workloads: readonly ScenarioWorkload[]): ScenarioWorkload[] {
  const random = new SeededRandom(seed + deploymentSeedOffset);
  return workloads.map((workload) =>
    random.float() < isDeployment && workload.script === undefined ? { ...workload, kind: "Deployment" } : workload,
  );
}

/**
 * Half of the runs turn some running workloads into StatefulSets, and some ending ones into Jobs.
 * They have a random source of their own, like losses, and the first workload is unchanged.
 */
function asOtherKinds(seed: number, workloads: readonly ScenarioWorkload[]): ScenarioWorkload[] {
  const random = new SeededRandom(seed + kindSeedOffset);
  if (random.float() >= hasOtherKinds) return [...workloads];
  return workloads.map((workload, index) => {
    const [isOther, isIndexed, more] = [random.float() < 0.6, random.float() < 0.5, random.integer(6)];
    const script = pick(random, jobScripts) ?? "exit 0";
    const { minAvailable: _, ...unkept } = workload;
    if (!isOther) return workload;
    if (workload.script !== undefined) return asJob(unkept, { isIndexed, more, script });
    if (index === 0 || workload.kind !== undefined) return workload;
    return { ...workload, kind: "StatefulSet", ...(isIndexed ? { parallel: true } : {}) };
  });
}

function asJob(
  workload: ScenarioWorkload,
  { isIndexed, more, script }: { isIndexed: boolean; more: number; script: string },
): ScenarioWorkload {
  const { replicas } = workload;
  return { ...workload, kind: "Job", script, completions: replicas + more, ...(isIndexed ? { indexed: true } : {}) };
}

/**
 * Half of the runs turn some running workloads into DaemonSets and ReplicationControllers, and some
 * ending ones into CronJobs, with a random source of their own. The first workload is unchanged.
 */
function asNewerKinds(seed: number, workloads: readonly ScenarioWorkload[]): ScenarioWorkload[] {
  const random = new SeededRandom(seed + newerKindSeedOffset);
  if (random.float() >= hasNewerKinds) return [...workloads];
  return workloads.map((workload, index) => {
    const roll = random.float();
    if (index === 0) return workload;
    const { minAvailable: _, kind: __, parallel: ___, ...plain } = workload;
    if (workload.script !== undefined) return roll < isCronJob ? asCronJob(plain, random) : workload;
    if (roll < isDaemonSet) return { ...plain, kind: "DaemonSet" };
    const { minAvailable } = workload;
    const kept = minAvailable === undefined ? {} : { minAvailable };
    return roll < isEitherNewerKind ? { ...plain, ...kept, kind: "ReplicationController" } : workload;
  });
}

/** Each Job of the CronJob either ends before the next Job is due, or runs for longer than that. */
function asCronJob(workload: ScenarioWorkload, random: Random): ScenarioWorkload {
  const replicas = 1 + random.integer(2);
  const [isLimited, deadline] = [random.float() < 0.5, pick(random, [10, 30, 200])];
  return {
    ...workload,
    kind: "CronJob",
    replicas,
    completions: replicas,
    script: pick(random, cronScripts) ?? "exit 0",
    ...(random.float() < 0.3 ? { schedule: "*/2 * * * *" } : {}),
    concurrency: pick(random, ["Allow", "Forbid", "Replace"]) ?? "Allow",
    ...(isLimited && deadline !== undefined ? { startingDeadlineSeconds: deadline } : {}),
  };
}

/**
 * Services route to some workloads, including those whose pods start and end. The choice has a
 * random source of its own, like losses.
 */
function withServices(seed: number, workloads: readonly ScenarioWorkload[]): ScenarioWorkload[] {
  const random = new SeededRandom(seed + serviceSeedOffset);
  return workloads.map((workload) => (random.float() < hasService ? { ...workload, service: true } : workload));
}

/**
 * A few workloads may preempt other pods if nodes lack capacity. The choice has a random source of
 * its own, like losses.
 */
function withPriorities(seed: number, workloads: readonly ScenarioWorkload[]): ScenarioWorkload[] {
  const random = new SeededRandom(seed + prioritySeedOffset);
  return workloads.map((workload) => (random.float() < isImportant ? { ...workload, important: true } : workload));
}

/**
 * Some runs have pods that request to be stopped on a node that is cut off. The choice has a random
 * source of its own.
 */
function withFences(seed: number, workloads: readonly ScenarioWorkload[]): ScenarioWorkload[] {
  const random = new SeededRandom(seed + fenceSeedOffset);
  if (random.float() >= hasFences) return [...workloads];
  return workloads.map((workload) => (random.float() < isFenced ? { ...workload, fenced: true } : workload));
}

/**
 * Some runs have autoscalers, under a load from the start. The choice has a random source of its
 * own, like losses.
 */
function withAutoscalers(seed: number, workloads: readonly ScenarioWorkload[]): ScenarioWorkload[] {
  const random = new SeededRandom(seed + autoscalerSeedOffset);
  if (random.float() >= hasAutoscalers) return [...workloads];
  return workloads.map((workload) => {
    const [roll, less, more, load] = [random.float(), random.integer(3), random.integer(5), random.integer(10)];
    const kind = kindOf(workload);
    const isSized = kind.scaledTo !== undefined && kind.ends !== true && workload.script === undefined;
    if (roll >= isAutoscaled || !isSized) return workload;
    const { replicas } = workload;
    const min = Math.max(1, replicas - less);
    return { ...workload, autoscale: { min, max: replicas + more, cpu: "100m", load: `${100 * load}m` } };
  });
}
