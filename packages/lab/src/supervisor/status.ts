import type { NodeState, ServerState } from "../cluster/component.ts";

/** The supervisor's report to its clients. */
export interface SupervisorStatus {
  cluster: string;
  pid: number;
  /** The completed steps of the cluster's start, in order of their end. */
  steps: SupervisorStep[];
  /** The features that the cluster lacks. */
  warnings: string[];
  /** True if all steps are done. */
  settled: boolean;
  components: { id: string; pid: number | undefined; restarts: number }[];
  nodes: Record<string, NodeState>;
  /** Absent if the control plane runs on the host itself. */
  servers?: Record<string, ServerState>;
  /** The machines of the nodes, including those that are being created. */
  machines: NodeMachineFacts[];
}

interface NodeMachineFacts {
  name: string;
  /** The number that determines its addresses. */
  index: number;
  address: string;
  labels: Record<string, string>;
}

export interface SupervisorStep {
  name: string;
  tookMs: number;
  error?: string;
}
