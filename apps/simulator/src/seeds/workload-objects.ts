import {
  type Container,
  type PodDisruptionBudget,
  podEscalationAnnotation,
  type PodSpec,
  type ReplicaSet,
  type Toleration,
} from "@kintsugi/api";
import { aReplicaSet, type ScenarioWorkload } from "@kintsugi/simulation";

const probe = { tcpSocket: { port: 80 }, periodSeconds: 2 };

/** The ReplicaSet that a scenario's workload stands for. */
export function workloadObject(workload: ScenarioWorkload): ReplicaSet {
  const { name, replicas, cpu } = workload;
  const set = aReplicaSet(name, replicas, cpu === undefined ? {} : { cpu });
  const template = set.spec?.template;
  const [container] = template?.spec?.containers ?? [];
  if (container) Object.assign(container, containerTraits(workload, container));
  if (template?.spec) Object.assign(template.spec, podTraits(workload));
  if (template?.metadata && workload.escalation !== undefined)
    template.metadata.annotations = { [podEscalationAnnotation]: workload.escalation };
  return set;
}

function containerTraits(
  { probes, liveness, memory, script }: ScenarioWorkload,
  { resources }: Container,
): Partial<Container> {
  return {
    // An image with a shell, which the runtime of a simulated node runs as it is written.
    ...(script === undefined ? {} : { image: "busybox:1.36", command: ["sh", "-c", script] }),
    ...(probes ? { readinessProbe: probe, livenessProbe: probe } : {}),
    ...(liveness === undefined
      ? {}
      : {
          livenessProbe: {
            exec: { command: ["sh", "-c", liveness.exec] },
            periodSeconds: Math.max(1, Math.round(liveness.periodMs / 1000)),
            failureThreshold: liveness.failureThreshold,
          },
        }),
    ...(memory === undefined
      ? {}
      : { resources: { ...resources, requests: { ...resources?.requests, memory }, limits: { memory } } }),
  };
}

function podTraits({ tolerationSeconds }: ScenarioWorkload): Partial<PodSpec> {
  if (tolerationSeconds === undefined) return {};
  const tolerations = ["not-ready", "unreachable"].map((state): Toleration => ({
    key: `node.kubernetes.io/${state}`,
    operator: "Exists",
    effect: "NoExecute",
    tolerationSeconds,
  }));
  return { tolerations };
}

export function aBudget(name: string, minAvailable: number): PodDisruptionBudget {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace: "default" },
    spec: { minAvailable, selector: { matchLabels: { app: name } } },
  };
}
