import {
  configMaps,
  cpuMillicores,
  deviceClasses,
  horizontalPodAutoscalers,
  podDisruptionBudgets,
  priorityClasses,
  resourceClaimTemplates,
  resourceQuotas,
  secrets,
  services,
  storageClasses,
} from "@kintsugi/api";
import { anAutoscaler, kindOf, type Scenario, type ScenarioWorkload } from "@kintsugi/simulation";
import type { VirtualCluster } from "../cluster/virtual-cluster.ts";
import {
  aBudget,
  aQuota,
  aService,
  deviceClass,
  deviceTemplate,
  diskClass,
  importantClass,
  mountedObjects,
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

/** Creates what a scenario begins with: its workloads, and the objects that they need. */
export async function createWorkloads(cluster: VirtualCluster, scenario: Scenario): Promise<void> {
  const { client } = cluster;
  const { workloads, world } = scenario;
  if (workloads.some(({ important }) => important))
    await cluster.during(client.create(priorityClasses, importantClass));
  if (hasClaims(scenario)) await cluster.during(client.create(storageClasses, diskClass));
  if (hasDevices(scenario)) {
    await cluster.during(client.create(deviceClasses, deviceClass));
    await cluster.during(client.create(resourceClaimTemplates, deviceTemplate));
  }
  if (world.quota !== undefined) await cluster.during(client.create(resourceQuotas, aQuota(world.quota)));
  for (const workload of workloads) await createWorkload(cluster, workload);
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
