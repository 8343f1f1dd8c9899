import { cpuMillicores, memoryBytes, type Node, type Pod } from "@kintsugi/api";

interface Room {
  cpu: number;
  memory: number;
  pods: number;
}

/** S10: what the pods bound to a node ask for together is never more than it has to give. */
export class NodeRoom {
  readonly #allocatable = new Map<string, Room>();
  /** By node, then by pod uid. */
  readonly #used = new Map<string, Map<string, Room>>();

  putNode({ metadata, status }: Node, type: "put" | "delete"): void {
    const { cpu, memory, pods } = status?.allocatable ?? {};
    const room = { cpu: cpuMillicores(cpu), memory: memoryBytes(memory), pods: Number(pods ?? 0) };
    if (type === "delete") this.#allocatable.delete(metadata.name ?? "");
    else if (pods !== undefined) this.#allocatable.set(metadata.name ?? "", room);
  }

  /** @returns what is wrong, if the pod has just come to its node. */
  putPod(pod: Pod): string | undefined {
    const { metadata, spec, status } = pod;
    const [node, uid] = [spec?.nodeName ?? "", metadata.uid ?? ""];
    if (node === "") return undefined;
    if (status?.phase === "Succeeded" || status?.phase === "Failed") {
      this.removePod(pod);
      return undefined;
    }
    const onNode = this.#used.get(node) ?? new Map<string, Room>();
    this.#used.set(node, onNode);
    const isNew = !onNode.has(uid);
    onNode.set(uid, requestsOf(pod));
    return isNew ? this.#overflow(node, onNode) : undefined;
  }

  removePod({ metadata, spec }: Pod): void {
    this.#used.get(spec?.nodeName ?? "")?.delete(metadata.uid ?? "");
  }

  #overflow(node: string, onNode: ReadonlyMap<string, Room>): string | undefined {
    const has = this.#allocatable.get(node);
    if (!has) return `a pod was bound to ${node}, which is not there`;
    const used = { cpu: 0, memory: 0, pods: onNode.size };
    for (const { cpu, memory } of onNode.values()) {
      used.cpu += cpu;
      used.memory += memory;
    }
    for (const what of ["cpu", "memory", "pods"] as const) {
      if (used[what] > has[what]) return `${node} has ${has[what]} of ${what}, and its pods ask for ${used[what]}`;
    }
    return undefined;
  }
}

function requestsOf({ spec }: Pod): Room {
  const requests = (spec?.containers ?? []).map(({ resources }) => resources?.requests ?? {});
  const cpu = requests.reduce((sum, each) => sum + cpuMillicores(each["cpu"]), 0);
  const memory = requests.reduce((sum, each) => sum + memoryBytes(each["memory"]), 0);
  return { cpu, memory, pods: 1 };
}
