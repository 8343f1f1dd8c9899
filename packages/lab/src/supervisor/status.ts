import type { NodeState, ServerState } from "../cluster/component.ts";

/** The supervisor's report to its clients. */
export interface SupervisorStatus {
  cluster: string;
  pid: number;
  /** The steps of bringing the cluster up, in order of their end. */
  steps: SupervisorStep[];
  /** The features that the cluster does without. */
  warnings: string[];
  /** All steps are done. */
  settled: boolean;
  components: { id: string; pid: number | undefined; restarts: number }[];
  nodes: Record<string, NodeState>;
  /** Absent where the control plane runs on the host itself. */
  servers?: Record<string, ServerState>;
  /** The machines behind the nodes, those that are being made too. */
  machines: NodeMachineFacts[];
}

interface NodeMachineFacts {
  name: string;
  /** The number that fixes its addresses. */
  index: number;
  address: string;
  labels: Record<string, string>;
}

export interface SupervisorStep {
  name: string;
  tookMs: number;
  error?: string;
}
