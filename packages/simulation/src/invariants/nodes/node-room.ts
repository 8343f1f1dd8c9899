import { cpuMillicores, isPodTerminal, memoryBytes, type Pod, nodes, pods } from "@kintsugi/api";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { nameOf } from "../observed/known-objects.ts";

interface Room {
  cpu: number;
  memory: number;
  pods: number;
}

/** The sum of the requests of the pods bound to a node never exceeds its allocatable resources. */
export function nodesAreNotOvercommitted(): Invariant {
  const allocatable = new Map<string, Room>();
  /** The use by node, then by pod uid. */
  const usedByNode = new Map<string, Map<string, Room>>();

  return {
    name: "nodes-are-not-overcommitted",
    never: "pods that together request more than their node has",
    /**
     * Pods may be bound to a deleted node while its deletion may still be unknown, and its
     * allocatable resources remain the same; pods-are-bound-to-allowed-nodes limits that time.
     */
    observes: [
      onKind(nodes, ({ type, object: { metadata, status } }) => {
        const { cpu, memory, pods } = status?.allocatable ?? {};
        const room = { cpu: cpuMillicores(cpu), memory: memoryBytes(memory), pods: Number(pods ?? 0) };
        if (type !== "delete" && pods !== undefined) allocatable.set(metadata.name ?? "", room);
      }),
      onKind(pods, ({ type, object }, check) => {
        const [node, uid] = [object.spec?.nodeName ?? "", object.metadata.uid ?? ""];
        if (node === "") return;
        const onNode = usedByNode.get(node) ?? new Map<string, Room>();
        usedByNode.set(node, onNode);
        if (type === "delete" || isPodTerminal(object)) {
          onNode.delete(uid);
          return;
        }
        const isNew = !onNode.has(uid);
        onNode.set(uid, requestsOf(object));
        if (isNew) check(overflow(node, onNode));
      }),
    ],
  };

  function overflow(node: string, onNode: ReadonlyMap<string, Room>): string | undefined {
    const has = allocatable.get(node);
    if (!has) return `a pod was bound to ${node}, which never existed`;
    const used = { cpu: 0, memory: 0, pods: onNode.size };
    for (const { cpu, memory } of onNode.values()) {
      used.cpu += cpu;
      used.memory += memory;
    }
    for (const what of ["cpu", "memory", "pods"] as const) {
      if (used[what] > has[what]) return `${node} has ${has[what]} of ${what}, but its pods request ${used[what]}`;
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

/** Two pods of a node never use the same host port. */
export function hostPortsAreUnique({ known }: InvariantContext): Invariant {
  return {
    name: "host-ports-are-unique",
    never: "two pods of a node that use the same port of the node",
    observes: [
      onKind(pods, ({ type, object, before }, check) => {
        const node = object.spec?.nodeName ?? "";
        const ports = hostPortsOf(object);
        if (type === "delete" || ports.length === 0 || node === "" || (before?.spec?.nodeName ?? "") !== "") return;
        for (const other of known.of(pods).values()) {
          if (other === object || other.spec?.nodeName !== node || isPodTerminal(other)) continue;
          const clash = hostPortsOf(other).find((taken) => ports.some((wanted) => overlap(taken, wanted)));
          check(clash && `pods ${nameOf(other)} and ${nameOf(object)} both have port ${clash.port} of ${node}`);
        }
      }),
    ],
  };
}

interface HostPort {
  ip: string;
  protocol: string;
  port: number;
}

function hostPortsOf({ spec }: Pod): HostPort[] {
  const ports = (spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  return ports
    .filter(({ hostPort }) => hostPort !== undefined && hostPort > 0)
    .map(({ hostIP, protocol, hostPort = 0 }) => ({ ip: hostIP ?? "", protocol: protocol ?? "TCP", port: hostPort }));
}

function overlap(a: HostPort, b: HostPort): boolean {
  const isAny = (ip: string) => ip === "" || ip === "0.0.0.0";
  return a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || isAny(a.ip) || isAny(b.ip));
}
