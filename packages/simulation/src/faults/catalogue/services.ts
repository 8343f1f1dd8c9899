import type { HandlerRequest } from "@kintsugi/client";
import { OutcomeUnknown } from "@kintsugi/store";
import type { SimulatedControlPlane } from "../../cluster.ts";
import type { PlannedFault } from "../../scenario/scenario.ts";
import { allOf, armed, type Fault, pick, setting, alreadyOver, type Undo, word, type World } from "../fault.ts";
import { callerOf, holdDown, killNow, serviceOf } from "../targets.ts";

/** Faults of the services of the control plane, and of the clients that write to the API. */
export const serviceFaults: readonly Fault[] = [
  {
    name: "kill-service",
    catalogue: ["F1", "F2", "F3", "F19"],
    sentence:
      "A service (api-server, scheduler or controller-manager) is killed at any point in its work, and restarted.",
    target: "service",
    lasts: true,
    inject: (world, planned) => {
      const process = serviceOf(world, planned);
      return process && holdDown(world, process);
    },
  },
  {
    name: "pause-service",
    catalogue: ["F5"],
    sentence:
      "A service (api-server, scheduler or controller-manager) is paused, as by SIGSTOP. Afterwards it receives everything that has accumulated.",
    target: "service",
    lasts: true,
    inject: (world, planned) => serviceOf(world, planned)?.pause(),
  },
  {
    name: "kill-at-write",
    catalogue: ["F2", "F3", "Sieve"],
    sentence:
      "A process is killed at the write with the number `write`, counted from now: before the write is sent, or after it is stored and before the response.",
    target: "process",
    lasts: true,
    draw: (random) => ({ write: 1 + random.integer(10), moment: pick(random, ["before", "after"]) ?? "before" }),
    inject: (world, planned) => {
      const found = callerOf(world, planned);
      if (!found) return undefined;
      const { name, process } = found;
      const direction = word(planned, "moment", "before") === "before" ? "out" : "in";
      let left = setting(planned, "write", 1);
      const stop = world.cluster.wireOf(name).impairments.add((passing) => {
        if (passing.direction !== direction || !isWrite(passing.request) || --left !== 0) return undefined;
        stop();
        if (!process.isRunning) return undefined;
        world.reached(planned);
        killNow(world, process);
        return "lost";
      });
      return armed(stop);
    },
  },
  {
    name: "second-controller-manager",
    catalogue: ["F39"],
    sentence: "A second controller-manager runs, only in clusters with leader election.",
    target: "none",
    lasts: true,
    inject: ({ cluster }) => {
      if (!cluster.leaderElection) return undefined;
      const second = cluster.startSecond("controller-manager");
      return () => second.kill();
    },
  },
  {
    name: "second-scheduler",
    catalogue: ["F39"],
    sentence: "A second scheduler runs, only in clusters with leader election.",
    target: "none",
    lasts: true,
    inject: ({ cluster }) => {
      if (!cluster.leaderElection) return undefined;
      const second = cluster.startSecond("scheduler");
      return () => second.kill();
    },
  },
  {
    name: "rolling-restart",
    catalogue: ["F40"],
    sentence: "All services and kubelets are restarted one after the other, `everyMs` apart.",
    target: "none",
    lasts: false,
    draw: (random) => ({ everyMs: random.integer(3000) }),
    inject: ({ cluster, holds }, planned) => {
      const everyMs = setting(planned, "everyMs", 1000);
      const all = [cluster.server.process, cluster.scheduler, cluster.controllerManager];
      [...all, ...cluster.nodes.map(({ kubelet }) => kubelet)].forEach((process, index) =>
        cluster.clock.after(index * everyMs, () => {
          if (!process.isRunning || holds.isHeld(process)) return;
          process.kill();
          process.start();
        }),
      );
      return alreadyOver;
    },
  },
  {
    name: "compaction",
    catalogue: ["F21"],
    sentence: "The store removes the history that no watch needs.",
    target: "none",
    lasts: false,
    inject: async ({ cluster }) => {
      if (!cluster.server.isReady) return undefined;
      try {
        await cluster.store.compact();
      } catch (error) {
        // If the disk fails in the meantime, the server ends and reports the failure itself.
        if (!(error instanceof OutcomeUnknown)) throw error;
      }
      return alreadyOver;
    },
  },
];

/** The time from a machine's power-on to the start of its services. */
const bootMs = 5_000;

const ofServer = { target: "server", lasts: true, catalogue: [], drawnApart: true, onlyByName: true } as const;

/** Faults of one machine of a control plane with several servers. */
export const controlPlaneFaults: readonly Fault[] = [
  {
    ...ofServer,
    name: "kill-server",
    sentence: "A machine of the control plane loses power: its services and its log member (etcd) stop.",
    inject: async (world, planned) => {
      const machine = serverOf(world, planned);
      if (machine === undefined) return undefined;
      const member = await world.holds.hold(machine, {
        down: () => machine.memberDown(),
        up: () => machine.memberUp(),
      });
      const services: Undo[] = [];
      for (const process of machine.processes) services.push(await holdDown(world, process));
      return async () => {
        member();
        // The machine's services start once the members have elected a leader.
        await world.cluster.clock.sleep(bootMs);
        await allOf(services)();
      };
    },
  },
  {
    ...ofServer,
    name: "cut-server-from-log",
    sentence: "An api-server loses its connection to the log (etcd). Its clients still reach it.",
    inject: (world, planned) => {
      const machine = serverOf(world, planned);
      if (machine === undefined) return undefined;
      return world.holds.hold(machine.processes, {
        down: () => machine.cutMember(),
        up: () => machine.healMember(),
      });
    },
  },
];

function serverOf({ cluster, random }: World, { target }: PlannedFault): SimulatedControlPlane | undefined {
  const { controlPlanes = [] } = cluster;
  return target === undefined ? pick(random, controlPlanes) : controlPlanes.find(({ name }) => name === target);
}

function isWrite({ method, path }: HandlerRequest): boolean {
  return method !== "GET" && !/\/(?:leases|events)\b/.test(path);
}
