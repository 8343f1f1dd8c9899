import { apiVersionOf, isApiError, type StorageClass, storageClasses } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { emptyRecord, RecordCloud } from "@kintsugi/cloud";
import { FakeMachines } from "@kintsugi/cloud/simulated";
import { runCloudControllers } from "@kintsugi/cloud-controller-manager/factory";
import type { DriverOn } from "@kintsugi/hollow/factory";
import { VirtualProcess } from "@kintsugi/simulation";
import { type ControlPlaneDeps, nodePlugins, virtualDriverName, VirtualStorage } from "@kintsugi/simulator/factory";

export interface SurroundingsOptions {
  /** The claims of pods get disks of a fake driver. */
  volumes: boolean;
  /** The Services of type LoadBalancer get addresses of a fake cloud. */
  cloud: boolean;
  nodes: readonly { readonly name: string; readonly zone: string | undefined; readonly address: string }[];
}

/** Addresses for documentation (RFC 5737), which hosts never use: one address for each balancer. */
const balancersMax = 254;
/** Upstream's values. */
const cloudTimers = { nodeMonitorPeriodMs: 5_000, nodeStatusUpdateMs: 300_000, serviceSyncPeriodMs: 300_000 };

/** The parts of a cluster that its provider supplies: disks for claims, and load balancers. */
export class Surroundings {
  readonly processes: readonly VirtualProcess[];
  readonly driverOn: DriverOn | undefined;
  readonly #options: SurroundingsOptions;

  constructor(deps: ControlPlaneDeps, options: SurroundingsOptions) {
    this.#options = options;
    const storage = options.volumes ? new VirtualStorage(deps) : undefined;
    this.driverOn = storage && driversOf(storage, options);
    this.processes = [...(storage ? [storage.process] : []), ...(options.cloud ? [cloudProcess(deps, options)] : [])];
  }

  /** Makes the classes of claims; classes that the data directory already has remain. */
  async provide(client: Client): Promise<void> {
    if (!this.#options.volumes) return;
    for (const each of classes)
      await client.create(storageClasses, each).catch((error: unknown) => {
        if (!isApiError(error, "AlreadyExists")) throw error;
      });
  }
}

/** A claim of the default class waits for a pod, as in kind; `immediate` does not. */
const classes: readonly StorageClass[] = [
  aClass("standard", "WaitForFirstConsumer", { "storageclass.kubernetes.io/is-default-class": "true" }),
  aClass("immediate", "Immediate", {}),
];

function aClass(
  name: string,
  volumeBindingMode: StorageClass["volumeBindingMode"],
  annotations: Record<string, string>,
): StorageClass {
  return {
    apiVersion: apiVersionOf(storageClasses),
    kind: storageClasses.kind,
    metadata: { name, annotations },
    provisioner: virtualDriverName,
    reclaimPolicy: "Delete",
    volumeBindingMode,
    allowVolumeExpansion: true,
  };
}

function driversOf(storage: VirtualStorage, { nodes }: SurroundingsOptions): DriverOn {
  const zones = new Map(nodes.map(({ name, zone }) => [name, zone ?? ""]));
  return (name, mounts) => {
    const driver = storage.driverOn({ name, zone: zones.get(name) ?? "" }, mounts);
    return {
      powerOff: () => driver.powerOff(),
      plugins: (incarnation) =>
        nodePlugins({ storage: driver.accessFor(incarnation), devices: undefined }, incarnation),
    };
  };
}

function cloudProcess(deps: ControlPlaneDeps, { nodes }: SurroundingsOptions): VirtualProcess {
  const { clock: trueClock, randomSource, log, levels, connect, onDeath } = deps;
  const name = "cloud-controller-manager";
  const host = new FakeMachines();
  for (const { name: node, zone = "zone-1", address } of nodes)
    host.machines.set(node, {
      name: node,
      state: "running",
      region: "test-server",
      zone,
      addresses: [
        { type: "InternalIP", address },
        { type: "Hostname", address: node },
      ],
    });
  const addresses = Array.from({ length: balancersMax }, (_, index) => `203.0.113.${index + 1}`);
  const cloud = new RecordCloud(
    { random: randomSource.of("cloud"), host, keep: async () => {} },
    { idPrefix: "test-server://", addresses, record: emptyRecord },
  );
  const run: ConstructorParameters<typeof VirtualProcess>[0]["run"] = async (signal, incarnation, clock) => {
    const { client } = connect(name, { incarnation, clock });
    const metrics = levels.metricsOf(name, incarnation);
    await runCloudControllers(
      { client, clock, random: randomSource.of(name), log, metrics, cloud },
      { timers: cloudTimers },
      signal,
    );
  };
  return new VirtualProcess({ clock: trueClock, onDeath, run }, { name });
}
