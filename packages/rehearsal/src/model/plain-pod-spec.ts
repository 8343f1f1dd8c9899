import type { Container, LifecycleHandler, PodSpec } from "@kintsugi/api";

/**
 * Volumes that determine where a pod may run. The files of other volumes are absent in a rehearsal.
 */
const placingVolumes = ["persistentVolumeClaim", "ephemeral"] as const;

/** The scheduler that places all pods of a rehearsal. */
const schedulerName = "default-scheduler";

/**
 * A pod's spec with everything that determines where the pod runs, when it starts and how it stops.
 * It lacks the fields that need contents which a rehearsal does not have: programs, variables,
 * files, secrets, rights. Templates and pods lose the same fields, so that a controller finds its
 * own pods up to date.
 */
export function plainPodSpec(spec: PodSpec): PodSpec {
  const {
    ephemeralContainers: _debug,
    imagePullSecrets: _pull,
    serviceAccountName: _account,
    serviceAccount: _oldAccount,
    securityContext: _security,
    runtimeClassName: _runtime,
    resourceClaims: _devices,
    overhead: _overhead,
    hostUsers: _hostUsers,
    ...kept
  } = spec as PodSpec & { serviceAccount?: string };
  const volumes = (spec.volumes ?? []).filter((volume) => placingVolumes.some((type) => volume[type] !== undefined));
  const names = new Set(volumes.map(({ name }) => name));
  const plain = (container: Container) => plainContainer(container, names);
  return {
    ...kept,
    containers: (spec.containers ?? []).map(plain),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(plain) }),
    ...(spec.volumes === undefined ? {} : { volumes }),
    automountServiceAccountToken: false,
    schedulerName,
  };
}

function plainContainer(container: Container, volumes: ReadonlySet<string>): Container {
  const { command: _c, args: _a, env: _e, envFrom: _f, securityContext: _s, lifecycle, resources, ...kept } = container;
  const preStop = sleepOf(lifecycle?.preStop);
  const { claims: _claims, ...amounts } = resources ?? {};
  return {
    ...kept,
    ...(container.volumeMounts === undefined
      ? {}
      : { volumeMounts: container.volumeMounts.filter(({ name }) => volumes.has(name)) }),
    ...(resources === undefined ? {} : { resources: amounts }),
    ...(preStop === undefined ? {} : { lifecycle: { preStop } }),
  };
}

/**
 * The pause of a preStop hook, which counts toward the pod's grace period; other hooks do not take
 * time.
 */
function sleepOf(hook: LifecycleHandler | undefined): LifecycleHandler | undefined {
  if (hook?.sleep !== undefined) return { sleep: hook.sleep };
  const words = hook?.exec?.command?.join(" ") ?? "";
  const seconds = Number(/\bsleep\s+(\d+)/.exec(words)?.[1] ?? 0);
  return seconds > 0 ? { sleep: { seconds } } : undefined;
}
