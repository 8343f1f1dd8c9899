import { isRunning, signal } from "../cluster/processes.ts";
import type { Fault, Injected, World } from "./fault.ts";
import { aContainerd, aKubelet } from "./kills.ts";

/**
 * SIGSTOP, and much later SIGCONT: a pending write is then made as if nothing had happened in the
 * meantime.
 */
export const pauses: readonly Fault[] = [
  // An outage of the api-server never ends nodes or pods, however long it is.
  pauseOf("the api-server stands still", () => "api-server", "pods"),
  pauseOf("the scheduler stands still", () => "scheduler", "pods"),
  pauseOf("the controller-manager stands still", () => "controller-manager", "pods"),
  pauseOf("a kubelet stands still", aKubelet, "containers"),
  pauseOf("nats-server stands still", () => "nats", "pods"),
  pauseOf("containerd stands still", aContainerd, "containers"),
];

function pauseOf(name: string, victim: (world: World) => string, keeps: "pods" | "containers"): Fault {
  return pauseFault({ name, family: "pause", keeps, lastsMs: { min: 5_000, max: 60_000 } }, victim);
}

/**
 * A fault that pauses one process. @param victim chooses the process, by the supervisor's name for
 * it.
 */
export function pauseFault(
  shown: Pick<Fault, "name" | "family" | "keeps" | "lastsMs">,
  victim: (world: World) => string,
): Fault {
  return {
    ...shown,
    async inject(world): Promise<Injected> {
      const component = victim(world);
      const pid = await world.cluster.pid(component);
      signal(pid, "SIGSTOP");
      const undo = async () => {
        if (isRunning(pid)) signal(pid, "SIGCONT");
      };
      return { onto: component, undo };
    },
  };
}
