import type { NodeState } from "../cluster/component.ts";

/** What the supervisor tells whoever asks. */
export interface SupervisorStatus {
  cluster: string;
  pid: number;
  /** The steps of bringing the cluster up, in order of their end. */
  steps: SupervisorStep[];
  /** What the cluster does without. */
  warnings: string[];
  /** All steps are done. */
  settled: boolean;
  components: { id: string; pid: number | undefined; restarts: number }[];
  nodes: Record<string, NodeState>;
}

export interface SupervisorStep {
  name: string;
  tookMs: number;
  error?: string;
}
