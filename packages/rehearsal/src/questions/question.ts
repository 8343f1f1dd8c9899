/** A question of a rehearsal: the faults that each of its runs injects. */
export type RehearsalQuestion = QuestionDeed & {
  /** Subject of the question, phrased to follow "if": "node a fails". */
  readonly about: string;
  /** Addresses of webhooks that do not answer in the whole run. */
  readonly silentWebhooks?: readonly string[];
};

type QuestionDeed =
  /** The power of these nodes fails at the same time, and does not return. */
  | { readonly kind: "nodes-off"; readonly nodes: readonly string[] }
  /** All pods of a workload are deleted at the same time, as by mistake. */
  | { readonly kind: "pods-deleted"; readonly workload: string }
  /**
   * Node after node is cordoned and drained; with `rebootMs`, the node is off for this time and
   * then returns.
   */
  | {
      readonly kind: "drains";
      readonly nodes: readonly string[];
      readonly rebootMs?: number;
      /** Additional nodes that receive the pods in the meantime. */
      readonly surge?: number;
    }
  /** The faults of a scenario happen at their times. */
  | { readonly kind: "scenario"; readonly faults: readonly ScenarioStroke[]; readonly runMs: number };

/** One planned fault of a scenario, in a form that can be sent to a worker. */
export interface ScenarioStroke {
  readonly fault: string;
  /** Time since the beginning of the scenario. */
  readonly atMs: number;
  /** The time until the fault is undone; absent for a fault that lasts until the scenario ends. */
  readonly forMs?: number;
  readonly stays?: true;
  readonly target?: string;
  readonly with?: Readonly<Record<string, number | string>>;
}
