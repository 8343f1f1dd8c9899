import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "../../support/run-program.ts";
import { isRunning, signal } from "../cluster/processes.ts";
import { type Fault, type Injected, pick, type World } from "./fault.ts";
import { aKubelet } from "./kills.ts";

const hourMs = 3_600_000;

/**
 * A service's wall clock is set an hour wrong, and later right again. Nodes, pods and Leases must
 * not depend on it.
 */
export const clockFaults: readonly Fault[] = [
  clockOf("the api-server's clock jumps", () => "api-server"),
  clockOf("the scheduler's clock jumps", () => "scheduler"),
  clockOf("the controller-manager's clock jumps", () => "controller-manager"),
  clockOf("a kubelet's clock jumps", aKubelet),
];

/** @param victim chooses the process, by its supervisor's name for it. */
export function clockOf(name: string, victim: (world: World) => string): Fault {
  return {
    name,
    family: "clock",
    lastsMs: { min: 4_000, max: 12_000 },
    keeps: "pods",
    async inject(world): Promise<Injected> {
      const component = victim(world);
      const pid = await world.cluster.pid(component);
      const offsetMs = pick(world.random, [hourMs, -hourMs]);
      const file = join(world.cluster.clockDirectory, String(pid));
      const set = async (ms: number) => {
        await rm(`${file}.is`, { force: true });
        await writeFile(file, String(ms));
        signal(pid, "SIGUSR2");
        await eventually("the clock is set", async () => !isRunning(pid) || (await isSet(file, ms)), 10_000);
      };
      await set(offsetMs);
      const undo = async () => {
        await set(0);
        for (const each of [file, `${file}.is`]) await rm(each, { force: true });
      };
      return { onto: `${component}, ${offsetMs > 0 ? "+" : "-"}1 h`, undo };
    },
  };
}

/** The reading takes time, so a small delay is allowed. */
async function isSet(file: string, offsetMs: number): Promise<boolean> {
  const text = await readFile(`${file}.is`, "utf8").catch(() => "");
  return text !== "" && Math.abs(Number(text) - offsetMs) < 1_000;
}
