import type { PodDisruptionBudget, ReplicaSet } from "@kintsugi/api";
import { scriptAnnotation } from "@kintsugi/cri/testing";
import { aReplicaSet, type ScenarioWorkload } from "@kintsugi/simulation";

const probe = { tcpSocket: { port: 80 }, periodSeconds: 2 };

/** The ReplicaSet that a scenario's workload stands for. */
export function workloadObject({ name, replicas, cpu, script, probes }: ScenarioWorkload): ReplicaSet {
  const set = aReplicaSet(name, replicas, cpu === undefined ? {} : { cpu });
  const template = set.spec?.template;
  const [container] = template?.spec?.containers ?? [];
  if (container && probes) Object.assign(container, { readinessProbe: probe, livenessProbe: probe });
  if (template && script !== undefined)
    template.metadata = { ...template.metadata, annotations: { [scriptAnnotation]: script } };
  return set;
}

export function aBudget(name: string, minAvailable: number): PodDisruptionBudget {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace: "default" },
    spec: { minAvailable, selector: { matchLabels: { app: name } } },
  };
}
