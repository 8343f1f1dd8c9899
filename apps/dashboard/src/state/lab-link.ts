import type { Clock } from "@kintsugi/clock";
import { signal, type Signal } from "@preact/signals";
import type { LabAccess } from "../data/lab.ts";
import type { LabMachines, LabActionRequest } from "../model/lab.ts";

/** Interval of reads, which are needed because others can change the state of machines too. */
const labMs = 2_000;

/** The lab behind the page as its views use it. */
export interface LabLink {
  /** Undefined without a lab. */
  readonly lab: Signal<LabMachines | undefined>;
  /** Reads the state of the machines until the signal aborts, if there is a lab at the start. */
  followLab(stop: AbortSignal): Promise<void>;
  /** @throws RequestRefused with a sentence. */
  act(wanted: LabActionRequest): Promise<string>;
}

export function createLabLink(access: LabAccess | undefined, clock: Clock): LabLink {
  const lab = signal<LabMachines | undefined>(undefined);
  const readLab = async (): Promise<void> => {
    lab.value = await access?.machines();
  };
  return {
    lab,
    async followLab(stop) {
      await readLab();
      const isThere = lab.value !== undefined;
      while (isThere && !stop.aborted) {
        await clock.sleep(labMs, stop).catch(() => {});
        if (!document.hidden) await readLab();
      }
    },
    async act(wanted) {
      if (access === undefined) throw new Error("there is no lab here");
      try {
        return await access.act(wanted);
      } finally {
        await readLab();
      }
    },
  };
}
