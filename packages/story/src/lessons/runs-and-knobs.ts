import type { Knob, RunSubject } from "./lesson.ts";

/** A run with Kubernetes' timers, which lessons use unless they are about timers. */
export function run(scenario: string, proof: readonly string[], settings: readonly string[] = []): RunSubject {
  return {
    is: "run",
    request: { scenario, faults: [], settings: ["profile=kubernetes", ...settings] },
    proof,
  };
}

export const silenceAllowed: Knob = {
  setting: "timers.node-monitor-grace-period",
  label: "Silence allowed",
  values: ["20s", "30s", "40s", "50s"],
  asItIs: "50s",
};

export const podsStay: Knob = {
  setting: "timers.pod-eviction-timeout",
  label: "Pods stay for",
  values: ["0s", "30s", "5m", "10m"],
  asItIs: "5m",
};

/** @param asItIs the replicas in the scenario */
export function replicas(workload: string, values: readonly number[], asItIs: number): Knob {
  return {
    setting: `workloads.${workload}.replicas`,
    label: `Replicas of ${workload}`,
    values: values.map(String),
    asItIs: String(asItIs),
  };
}
