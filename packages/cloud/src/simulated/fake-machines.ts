import type { Random } from "@kintsugi/clock";
import { CloudError } from "../cloud-error.ts";
import { type CloudRecord, emptyRecord, type GroupRecord } from "../record/cloud-record.ts";
import { type HostMachine, type MachineHost, RecordCloud } from "../record/record-cloud.ts";

/** Machines in a table. A machine exists as soon as it is made. */
export class FakeMachines implements MachineHost {
  readonly machines = new Map<string, HostMachine>();
  /** Called for each machine that appears. */
  onMade: (name: string, group: GroupRecord | undefined) => void = () => {};
  onRemoved: (name: string) => void = () => {};
  #numbers = 0;

  add(name: string, { zone = "lab-a", group }: { zone?: string; group?: GroupRecord } = {}): void {
    const address = `10.0.0.${11 + this.#numbers++}`;
    const addresses: HostMachine["addresses"] = [
      { type: "InternalIP", address },
      { type: "Hostname", address: name },
    ];
    this.machines.set(name, { name, state: "running", region: "lab", zone, addresses });
    this.onMade(name, group);
  }

  async list(): Promise<HostMachine[]> {
    return [...this.machines.values()];
  }

  async make(name: string, group: GroupRecord): Promise<void> {
    if (!this.machines.has(name)) this.add(name, { zone: group.template.zone, group });
  }

  async remove(name: string): Promise<void> {
    if (this.machines.delete(name)) this.onRemoved(name);
  }

  async power(name: string, to: "on" | "off"): Promise<void> {
    const machine = this.machines.get(name);
    if (machine === undefined) throw new CloudError("NotFound", `there is no machine ${name}`);
    this.machines.set(name, { ...machine, state: to === "on" ? "running" : "stopped" });
  }
}

/** A cloud in memory; its balancers have the addresses 192.0.2.1 to 192.0.2.8. */
export class FakeLabCloud extends RecordCloud {
  readonly host: FakeMachines;

  constructor({ random }: { random: Random }, record: CloudRecord = emptyRecord) {
    const host = new FakeMachines();
    const addresses = Array.from({ length: 8 }, (_, index) => `192.0.2.${index + 1}`);
    super({ random, host, keep: async () => {} }, { idPrefix: "fake://test", addresses, record });
    this.host = host;
  }
}

/** A group of machines with 2 processors and 4 GiB. */
export function aGroup(name: string, changes: Partial<GroupRecord> = {}): GroupRecord {
  const template = {
    instanceType: "small",
    zone: "lab-a",
    cpuMillicores: 2000,
    memoryBytes: 4 * 1024 ** 3,
    podsMax: 20,
    labels: {},
    taints: [],
  };
  return { name, min: 0, max: 3, priority: 0, template, machines: [], ...changes };
}
