import {
  configMaps,
  cpuMillicores,
  customResourceDefinitions,
  deviceClasses,
  horizontalPodAutoscalers,
  podDisruptionBudgets,
  priorityClasses,
  resourceClaimTemplates,
  resourceQuotas,
  secrets,
  services,
  snapshotDefinitions,
  storageClasses,
  volumeAttributesClasses,
  volumeSnapshotClasses,
} from "@kintsugi/api";
import { anAutoscaler, hasSnapshots, kindOf, type Scenario, type ScenarioWorkload } from "@kintsugi/simulation";
import type { VirtualCluster } from "../cluster/virtual-cluster.ts";
import {
  aBudget,
  aQuota,
  aService,
  attributesClasses,
  deviceClass,
  deviceTemplate,
  diskClass,
  importantClass,
  mountedObjects,
  snapshotClasses,
  workloadObject,
} from "./workload-objects.ts";

/** Reports whether any workload has volumes of its own. */
export function hasClaims({ workloads }: Scenario): boolean {
  return workloads.some(({ claims }) => claims);
}

/** Reports whether the pods of any workload have devices. */
export function hasDevices({ workloads }: Scenario): boolean {
  return workloads.some(({ devices }) => devices);
}

/** Creates the initial objects of a scenario: its workloads, and the objects that they need. */
export async function createWorkloads(cluster: VirtualCluster, scenario: Scenario): Promise<void> {
  const { client } = cluster;
  const { workloads, world } = scenario;
  if (workloads.some(({ important }) => important))
    await cluster.during(client.create(priorityClasses, importantClass));
  if (hasClaims(scenario)) await cluster.during(client.create(storageClasses, diskClass));
  if (hasSnapshots(scenario)) await createSnapshotKinds(cluster);
  if (hasDevices(scenario)) {
    await cluster.during(client.create(deviceClasses, deviceClass));
    await cluster.during(client.create(resourceClaimTemplates, deviceTemplate));
  }
  if (world.quota !== undefined) await cluster.during(client.create(resourceQuotas, aQuota(world.quota)));
  for (const workload of workloads) await createWorkload(cluster, workload);
}

/** Kinds are served a moment after their definitions are created. */
const definitionsServedMs = 5_000;

async function createSnapshotKinds(cluster: VirtualCluster): Promise<void> {
  const { client } = cluster;
  for (const object of snapshotDefinitions) await cluster.during(client.create(customResourceDefinitions, object));
  await cluster.advance(definitionsServedMs);
  for (const object of snapshotClasses) await cluster.during(client.create(volumeSnapshotClasses, object));
  for (const object of attributesClasses) await cluster.during(client.create(volumeAttributesClasses, object));
}

async function createWorkload(cluster: VirtualCluster, workload: ScenarioWorkload): Promise<void> {
  const { client } = cluster;
  const { name, autoscale, minAvailable } = workload;
  if (autoscale) cluster.loads.add(name, cpuMillicores(autoscale.load ?? "0"));
  if (workload.volumes) await createMounted(cluster, workload);
  await cluster.during(client.create(kindOf(workload).type, workloadObject(workload)));
  if (minAvailable !== undefined)
    await cluster.during(client.create(podDisruptionBudgets, aBudget(name, minAvailable)));
  if (autoscale) await cluster.during(client.create(horizontalPodAutoscalers, anAutoscaler(workload, autoscale)));
  if (workload.service) await cluster.during(client.create(services, aService(name)));
}

async function createMounted(cluster: VirtualCluster, workload: ScenarioWorkload): Promise<void> {
  const { settings, password } = mountedObjects(workload);
  await cluster.during(cluster.client.create(configMaps, settings));
  await cluster.during(cluster.client.create(secrets, password));
}
