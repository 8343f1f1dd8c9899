import type { ClusterWay } from "@kintsugi/explanation/commands";
import type { LabMachines, LabActionRequest } from "../model/lab.ts";
import { RequestRefused } from "./api.ts";

/** The lab behind the page, if it is served by `kintsugi dashboard` on the lab's own host. */
export interface LabAccess {
  /** Returns undefined without a lab. */
  machines(): Promise<LabMachines | undefined>;
  /** Returns how commands connect to the cluster; undefined if that is unknown. */
  way(): Promise<ClusterWay | undefined>;
  /** Returns a sentence about the result. @throws RequestRefused with a sentence. */
  act(action: LabActionRequest): Promise<string>;
}

type Fetch = (path: string, init: RequestInit) => Promise<Response>;

/** @param send the browser's fetch */
export function createLabAccess(send: Fetch): LabAccess {
  return {
    async machines() {
      try {
        const response = await send("/lab/status", { credentials: "same-origin", cache: "no-store" });
        if (!response.ok) return undefined;
        return ((await response.json()) as { nodes: LabMachines }).nodes;
      } catch {
        return undefined;
      }
    },
    async way() {
      try {
        const response = await send("/lab/way", { credentials: "same-origin", cache: "no-store" });
        return response.ok ? ((await response.json()) as ClusterWay) : undefined;
      } catch {
        return undefined;
      }
    },
    async act(action) {
      let response: Response;
      try {
        response = await send("/lab/actions", {
          method: "POST",
          headers: { "content-type": "application/json" },
          credentials: "same-origin",
          body: JSON.stringify(action),
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
