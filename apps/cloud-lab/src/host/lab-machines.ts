import { zoneLabel } from "@kintsugi/api";
import { CloudError, type GroupRecord, type HostMachine, type MachineHost } from "@kintsugi/cloud";
import { type ControlClient, Refused, type SupervisorStatus } from "@kintsugi/lab";

export interface HostFacts {
  readonly cpuMillicores: number;
  readonly memoryBytes: number;
}

/** The zones of machines that have no zone of their own. */
const zones = ["lab-a", "lab-b", "lab-c"];
const region = "lab";

/** The machines of a cluster on this host, which its supervisor creates and removes. */
export class SupervisedMachines implements MachineHost {
  readonly #control: ControlClient;
  readonly #host: HostFacts;

  constructor(deps: { control: ControlClient }, host: HostFacts) {
    this.#control = deps.control;
    this.#host = host;
  }

  async list(): Promise<HostMachine[]> {
    return machinesIn(present(await this.#asked(this.#control.status())));
  }

  async make(name: string, { template }: GroupRecord): Promise<void> {
    const labels = { ...template.labels, [zoneLabel]: template.zone };
    const node = { name, labels, taints: template.taints, kubeletArgs: shapeArgs(template, this.#host) };
    present(
      await this.#asked(
        this.#control.addNode(node).catch((error: unknown) => {
          // The answer of an earlier request was lost, but the machine exists.
          if (error instanceof Refused && error.message.includes("already")) return name;
          throw error;
        }),
      ),
    );
  }

  async remove(name: string): Promise<void> {
    const there = (await this.list()).some((machine) => machine.name === name);
    if (there) present(await this.#asked(this.#control.removeNode(name)));
  }

  async power(name: string, to: "on" | "off"): Promise<void> {
    present(await this.#asked(this.#control.act(name, to === "on" ? "return" : "kill")));
  }

  /** The supervisor's errors are the cloud's errors, and state what the user can do. */
  async #asked<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      if (error instanceof Refused) throw new CloudError("Exhausted", error.message, { cause: error });
      throw new CloudError("Unavailable", `the machines' supervisor: ${(error as Error).message}`, { cause: error });
    }
  }
}

function present<T>(answer: T | undefined): T {
  if (answer === undefined) throw new CloudError("Unavailable", "the supervisor of the machines is not running");
  return answer;
}

/** Returns the machines, each with the address and the zone that the supervisor reports. */
export function machinesIn({ machines, nodes }: SupervisorStatus): HostMachine[] {
  return machines.map(({ name, index, address, labels }) => ({
    name,
    state: nodes[name]?.power === "off" ? "stopped" : "running",
    region,
    zone: labels[zoneLabel] ?? zones[(index - 1) % zones.length] ?? region,
    addresses: [
      { type: "InternalIP", address },
      { type: "Hostname", address: name },
    ],
  }));
}

/**
 * Returns the kubelet's flags that make a machine of this host as small as its template, by
 * reserving the rest for the system.
 */
export function shapeArgs(template: GroupRecord["template"], host: HostFacts): string[] {
  const cpu = host.cpuMillicores - template.cpuMillicores;
  const memory = host.memoryBytes - template.memoryBytes;
  const reserved = [...(cpu > 0 ? [`cpu=${cpu}m`] : []), ...(memory > 0 ? [`memory=${memory}`] : [])];
  return [`max-pods=${template.podsMax}`, ...(reserved.length === 0 ? [] : [`system-reserved=${reserved.join(",")}`])];
}
