import type { Deployment, Pod, PodSpec, PodTemplateSpec, ReplicaSet } from "@kintsugi/api";
import { deploymentWorkload } from "./kinds/deployment.ts";
import { replicaSetWorkload } from "./kinds/replica-set.ts";

/** Runs until the signal, and then ends immediately. */
const servingImage = "script.kintsugi.dev/run";

export interface WorkloadTraits {
  /** "500m". */
  cpu?: string;
  labels?: Record<string, string>;
  spec?: Partial<PodSpec>;
}

export function aReplicaSet(name: string, replicas: number, traits: WorkloadTraits = {}): ReplicaSet {
  return replicaSetWorkload.make({ name, replicas }, aTemplate(name, traits));
}

export function aDeployment(name: string, replicas: number, traits: WorkloadTraits = {}): Deployment {
  return deploymentWorkload.make({ name, replicas }, aTemplate(name, traits));
}

export function aPod(name: string, traits: WorkloadTraits = {}): Pod {
  const labels = { app: name, ...traits.labels };
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default", labels }, spec: podSpec(traits) };
}

/** The template of a workload's pods: one container that serves until it is stopped. */
export function aTemplate(name: string, traits: WorkloadTraits = {}): PodTemplateSpec {
  return { metadata: { labels: { app: name, ...traits.labels } }, spec: podSpec(traits) };
}

function podSpec({ cpu, spec = {} }: WorkloadTraits): PodSpec {
  const resources = cpu === undefined ? {} : { resources: { requests: { cpu } } };
  return { containers: [{ name: "main", image: servingImage, ...resources }], ...spec };
}
