/** The state of a machine of the lab, as its supervisor records it. */
export interface LabMachineState {
  readonly power: "on" | "off";
  readonly link: "up" | "down";
  readonly kubelet: "running" | "stopped";
}

export type LabMachines = Readonly<Record<string, LabMachineState>>;

/** A fault or a change, as the local proxy reads it. */
export type LabActionRequest =
  | { readonly is: "node"; readonly node: string; readonly action: MachineAction }
  | { readonly is: "cordon" | "uncordon" | "drain"; readonly node: string }
  | {
      readonly is: "crash" | "fill-memory";
      readonly namespace: string;
      readonly pod: string;
      readonly container: string;
    }
  | { readonly is: "delete" | "evict"; readonly namespace: string; readonly pod: string }
  | {
      readonly is: "scale";
      readonly kind: string;
      readonly namespace: string;
      readonly name: string;
      readonly replicas: number;
    };

type MachineAction = "kill" | "return" | "reboot" | "stop-kubelet" | "start-kubelet" | "partition" | "heal";
