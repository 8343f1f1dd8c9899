import { formatTimestamp, type NodeCondition } from "@kintsugi/api";

export interface ConditionInput {
  /**
   * The reasons why the node is not ready: the runtime, its network, PLEG. Empty when the node is
   * ready.
   */
  errors: readonly string[];
  /** The types among MemoryPressure, DiskPressure and PIDPressure that apply. */
  pressure: readonly string[];
  nowMs: number;
}

type Verdict = Pick<NodeCondition, "type" | "status" | "reason" | "message">;

/**
 * Returns the node's conditions in upstream's order, based on the earlier conditions. A transition
 * time changes only with the status.
 */
export function nodeConditions(input: ConditionInput, before: readonly NodeCondition[]): NodeCondition[] {
  const now = formatTimestamp(input.nowMs);
  const own = verdicts(input).map(({ type, status, reason, message }): NodeCondition => {
    const previous = before.find((each) => each.type === type);
    const since = previous?.status === status ? previous.lastTransitionTime : undefined;
    return { type, status, reason, message, lastHeartbeatTime: now, lastTransitionTime: since ?? now };
  });
  const others = before.filter(({ type }) => !own.some((each) => each.type === type));
  return [...others, ...own];
}

function verdicts({ errors, pressure }: ConditionInput): Verdict[] {
  const [memory, disk, pids] = ["MemoryPressure", "DiskPressure", "PIDPressure"].map((type) => pressure.includes(type));
  return [
    memory
      ? verdict("MemoryPressure", "KubeletHasInsufficientMemory", "kubelet has insufficient memory available")
      : relief("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    disk
      ? verdict("DiskPressure", "KubeletHasDiskPressure", "kubelet has disk pressure")
      : relief("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    pids
      ? verdict("PIDPressure", "KubeletHasInsufficientPID", "kubelet has insufficient PID available")
      : relief("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    errors.length === 0
      ? verdict("Ready", "KubeletReady", "kubelet is posting ready status")
      : relief("Ready", "KubeletNotReady", errors.length === 1 ? (errors[0] ?? "") : `[${errors.join(", ")}]`),
  ];
}

function verdict(type: string, reason: string, message: string): Verdict {
  return { type, status: "True", reason, message };
}

function relief(type: string, reason: string, message: string): Verdict {
  return { type, status: "False", reason, message };
}
