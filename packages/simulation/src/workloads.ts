import {
  type Deployment,
  deployments,
  type Pod,
  type PodSpec,
  type ReplicaSet,
  replicaSets,
  type ResourceType,
} from "@kintsugi/api";
import type { ScenarioWorkload } from "./scenario/scenario.ts";

/** Runs until it is told to end, which it does at once. */
const servingImage = "script.kintsugi.dev/run";

export interface WorkloadTraits {
  /** "500m". */
  cpu?: string;
  labels?: Record<string, string>;
  spec?: Partial<PodSpec>;
}

export function aReplicaSet(name: string, replicas: number, traits: WorkloadTraits = {}): ReplicaSet {
  const labels = { app: name, ...traits.labels };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name, namespace: "default" },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec(traits) } },
  };
}

export function aDeployment(name: string, replicas: number, traits: WorkloadTraits = {}): Deployment {
  const { metadata, spec } = aReplicaSet(name, replicas, traits);
  const { selector = {}, template = {} } = spec ?? {};
  return { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { replicas, selector, template } };
}

/** What a workload of a scenario is in the API. */
export function workloadType({ kind }: Pick<ScenarioWorkload, "kind">): ResourceType<Deployment | ReplicaSet> {
  return kind === "Deployment" ? deployments : replicaSets;
}

export function aPod(name: string, traits: WorkloadTraits = {}): Pod {
  const labels = { app: name, ...traits.labels };
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default", labels }, spec: podSpec(traits) };
}

function podSpec({ cpu, spec = {} }: WorkloadTraits): PodSpec {
  const resources = cpu === undefined ? {} : { resources: { requests: { cpu } } };
  return { containers: [{ name: "main", image: servingImage, ...resources }], ...spec };
}
