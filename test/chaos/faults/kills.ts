import { killNow } from "../cluster/processes.ts";
import { pause } from "../load/writers.ts";
import { atOnce, between, type Fault, type Injected, nothingToUndo, pick, type World } from "./fault.ts";

/** kill -9 at a random moment, under load. The supervisor restarts dead processes. */
export const kills: readonly Fault[] = [
  killOf("the api-server is killed", () => "api-server", "pods"),
  killOf("the scheduler is killed", () => "scheduler", "pods"),
  killOf("the controller-manager is killed", () => "controller-manager", "pods"),
  killOf("a kubelet is killed", aKubelet, "containers"),
  // nats-server does not store data on disk, so it is empty after a crash.
  killOf("nats-server is killed", () => "nats", "pods"),
  killOf("containerd is killed", aContainerd, "containers"),
  {
    name: "the api-server is killed again and again as it starts",
    family: "kill",
    lastsMs: atOnce,
    keeps: "containers",
    async inject({ cluster, random }) {
      for (let turn = 0; turn < startsMax; turn++) {
        await killNow(await cluster.pid("api-server"));
        await cluster.pid("api-server");
        // The next kill comes while the process reads its log, or after it has just opened its
        // port, or after its first requests.
        await pause(between(random, { min: 20, max: 1_200 }), new AbortController().signal);
      }
      await killNow(await cluster.pid("api-server"));
      return { onto: `${startsMax + 1} times`, undo: nothingToUndo };
    },
  },
  {
    name: "everything is killed at once",
    family: "kill",
    lastsMs: atOnce,
    keeps: "containers",
    async inject({ cluster }) {
      const components = await cluster.components();
      // Containers and their shims continue, as they do when a machine's services crash.
      await Promise.all(components.flatMap(({ pid }) => (pid === undefined ? [] : [killNow(pid)])));
      return { onto: `${components.length} processes`, undo: nothingToUndo };
    },
  },
];

const startsMax = 4;

function killOf(name: string, victim: (world: World) => string, keeps: "pods" | "containers"): Fault {
  return killFault({ name, family: "kill", keeps }, victim);
}

/**
 * A fault that kills one process. @param victim chooses the process, by the supervisor's name for
 * it.
 */
export function killFault(
  shown: Pick<Fault, "name" | "family" | "keeps">,
  victim: (world: World) => string | Promise<string>,
): Fault {
  return {
    ...shown,
    lastsMs: atOnce,
    async inject(world): Promise<Injected> {
      const component = await victim(world);
      await killNow(await world.cluster.pid(component));
      return { onto: component, undo: nothingToUndo };
    },
  };
}

export function aKubelet({ cluster, random }: World): string {
  return `kubelet@${pick(random, cluster.nodeNames)}`;
}

export function aContainerd({ cluster, random }: World): string {
  return `containerd@${pick(random, cluster.nodeNames)}`;
}
