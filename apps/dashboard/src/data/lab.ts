import { RequestRefused } from "./api.ts";

/** The state of a machine of the lab, as its supervisor keeps it. */
export interface Machine {
  readonly power: "on" | "off";
  readonly link: "up" | "down";
  readonly kubelet: "running" | "stopped";
}

export type Machines = Readonly<Record<string, Machine>>;

/** A fault or a change, as the local proxy reads it. */
export type Poke =
  | { readonly is: "node"; readonly node: string; readonly action: MachineAction }
  | { readonly is: "cordon" | "uncordon" | "drain"; readonly node: string }
  | { readonly is: "crash"; readonly namespace: string; readonly pod: string; readonly container: string }
  | {
      readonly is: "scale";
      readonly kind: string;
      readonly namespace: string;
      readonly name: string;
      readonly replicas: number;
    };

export type MachineAction = "kill" | "return" | "reboot" | "stop-kubelet" | "start-kubelet" | "partition" | "heal";

/** The lab behind the page, where it is served by `kintsugi dashboard` on the lab's own host. */
export interface LabAccess {
  /** Returns undefined where there is no lab. */
  machines(): Promise<Machines | undefined>;
  /** Returns a sentence about the result. @throws RequestRefused with a sentence. */
  poke(poke: Poke): Promise<string>;
}

type Fetch = (path: string, init: RequestInit) => Promise<Response>;

/** @param send the browser's fetch */
export function createLabAccess(send: Fetch): LabAccess {
  return {
    async machines() {
      try {
        const response = await send("/lab/status", { credentials: "same-origin", cache: "no-store" });
        if (!response.ok) return undefined;
        return ((await response.json()) as { nodes: Machines }).nodes;
      } catch {
        return undefined;
      }
    },
    async poke(poke) {
      let response: Response;
      try {
        response = await send("/lab/pokes", {
          method: "POST",
          headers: { "content-type": "application/json" },
          credentials: "same-origin",
          body: JSON.stringify(poke),
        });
      } catch (cause) {
        throw new RequestRefused(0, "kintsugi dashboard does not answer", { cause });
      }
      const text = (await response.text()).trim();
      if (!response.ok) throw new RequestRefused(response.status, text);
      return text;
    },
  };
}
