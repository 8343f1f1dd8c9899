import { formatTimestamp, isApiError, type Node, nodes, sameTaint, type Taint } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";

/** Declares to the cluster that a machine is off, so that its pods need not confirm their end. */
export interface OutOfService {
  /**
   * Sets the taint. A Node that does not exist does not need a taint, because its pods are orphans.
   */
  vouch(nodeName: string): Promise<void>;
  /** Removes the taint; the machine may be powered on only after the removal. */
  withdraw(nodeName: string): Promise<void>;
}

/** Upstream's taint key and value of a node that was shut down without its kubelet's knowledge. */
const taint: Taint = { key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" };

/** Kubelet, node lifecycle controller and users write the Node too, but rarely. */
const conflictsMax = 10;
/** The client of the control socket waits for 30 s, which include the machine's end. */
const callTimeoutMs = 5_000;

/** The Node with the taint; undefined when it already has the taint. */
export function planVouching(node: Node, nowMs: number): Node | undefined {
  const taints = node.spec?.taints ?? [];
  if (taints.some((present) => sameTaint(present, taint))) return undefined;
  return { ...node, spec: { ...node.spec, taints: [...taints, { ...taint, timeAdded: formatTimestamp(nowMs) }] } };
}

/**
 * The Node without the taint, regardless of its value; undefined when the Node does not have the
 * taint.
 */
export function planWithdrawal(node: Node): Node | undefined {
  const taints = node.spec?.taints ?? [];
  const rest = taints.filter((present) => !sameTaint(present, taint));
  return rest.length === taints.length ? undefined : { ...node, spec: { ...node.spec, taints: rest } };
}

export interface OutOfServiceDeps {
  clock: Clock;
  /** Opens a client with the administrator's permissions; it is closed after each call. */
  connect: () => Client;
}

export function createOutOfService({ clock, connect }: OutOfServiceDeps): OutOfService {
  const change = async (name: string, plan: (node: Node) => Node | undefined) => {
    const client = connect();
    try {
      await changeNode(client, name, plan);
    } finally {
      await client.close();
    }
  };
  return {
    vouch: (name) => change(name, (node) => planVouching(node, clock.nowMs())),
    withdraw: (name) => change(name, planWithdrawal),
  };
}

async function changeNode(client: Client, name: string, plan: (node: Node) => Node | undefined): Promise<void> {
  for (let conflicts = 0; ; conflicts++) {
    const node = await client.find(nodes, { namespace: "", name }, { timeoutMs: callTimeoutMs });
    const wanted = node && plan(node);
    if (!wanted) return;
    try {
      await client.update(nodes, wanted, { timeoutMs: callTimeoutMs });
      return;
    } catch (error) {
      // If the Node was deleted and recreated between read and write, the Node is read again.
      if (!isApiError(error, "Conflict", "NotFound") || conflicts === conflictsMax) throw error;
    }
  }
}
