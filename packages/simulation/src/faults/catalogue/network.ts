import type { HandlerRequest } from "@kintsugi/client";
import { profiles } from "@kintsugi/api";
import type { Wire } from "../../network/wire.ts";
import { allOf, type Fault, pick, setting, type Undo, type World } from "../fault.ts";
import { callerOf, nodeOf, processOf } from "../targets.ts";

const second = 1000;

/** Faults of the lines between the API server and all other processes. */
export const networkFaults: readonly Fault[] = [
  {
    name: "cut-node-outbound",
    catalogue: ["F29"],
    sentence: "Messages from a node are lost. Messages to the node still arrive.",
    target: "node",
    lasts: true,
    inject: (world, planned) => {
      const node = nodeOf(world, planned);
      return node && cutLane(world, node.wire, "out");
    },
  },
  {
    name: "cut-node-inbound",
    catalogue: ["F29"],
    sentence: "Messages to a node are lost. Messages from the node still arrive.",
    target: "node",
    lasts: true,
    inject: (world, planned) => {
      const node = nodeOf(world, planned);
      return node && cutLane(world, node.wire, "in");
    },
  },
  {
    name: "cut-service",
    catalogue: ["F15"],
    sentence:
      "The scheduler or the controller-manager is disconnected from API server and bus, or the API server from the bus.",
    target: "service",
    lasts: true,
    inject: (world, planned) => {
      const found = processOf(world, planned);
      return found && cutWire(world, world.cluster.wireOf(found.name));
    },
  },
  {
    name: "grey-network",
    catalogue: ["F30"],
    sentence: "A link loses a share `loss` of its messages, and delays the other messages by up to `delayMs`.",
    target: "process",
    lasts: true,
    draw: (random) => ({ loss: pick(random, [0, 0.1, 0.5]) ?? 0, delayMs: random.integer(2 * second) }),
    inject: (world, planned) => {
      const found = callerOf(world, planned);
      const { random } = world;
      const [loss, delayMs] = [setting(planned, "loss", 0.5), setting(planned, "delayMs", 2 * second)];
      return (
        found &&
        world.cluster
          .wireOf(found.name)
          .impairments.add(() => (random.float() < loss ? "lost" : { delayMs: random.integer(delayMs + 1) }))
      );
    },
  },
  {
    name: "lease-late",
    catalogue: ["F31"],
    sentence:
      "A node's Lease is renewed only `marginMs` after the end of the grace period, or before the end if `marginMs` is negative.",
    target: "node",
    lasts: true,
    draw: (random) => ({ marginMs: random.integer(2) === 0 ? -second : second }),
    inject: (world, planned) => {
      const node = nodeOf(world, planned);
      if (!node) return undefined;
      const { clock } = world.cluster;
      const graceMs = profiles[world.scenario.profile].nodeMonitorGracePeriodMs;
      const everyMs = graceMs + setting(planned, "marginMs", second);
      let nextMs = clock.monotonicMs() + everyMs;
      return node.wire.impairments.add(({ direction, request }) => {
        if (direction === "in" || !isLease(request)) return undefined;
        const delayMs = nextMs - clock.monotonicMs();
        if (delayMs > 0) return { delayMs };
        nextMs = clock.monotonicMs() + everyMs;
        return undefined;
      });
    },
  },
  {
    name: "stale-list",
    catalogue: ["F20", "Sieve"],
    sentence: "A list returns objects that are `delayMs` old.",
    target: "process",
    lasts: true,
    draw: (random) => ({ delayMs: 100 + random.integer(5 * second) }),
    inject: (world, planned) => {
      const found = callerOf(world, planned);
      const delayMs = setting(planned, "delayMs", second);
      return (
        found &&
        world.cluster
          .wireOf(found.name)
          .impairments.add(({ direction, request }) =>
            direction === "in" && isList(request) ? { delayMs } : undefined,
          )
      );
    },
  },
  {
    name: "swizzle-clog",
    catalogue: ["swizzle"],
    sentence: "Some random links are cut one after the other, and restored in another order.",
    target: "none",
    lasts: true,
    draw: (random) => ({ stepMs: 100 + random.integer(4 * second) }),
    inject: (world, planned) => swizzle(world, setting(planned, "stepMs", second)),
  },
];

/**
 * Cuts a line in both directions. Several faults may cut it at the same time, and end in any order.
 */
export async function cutWire(world: World, wire: Wire): Promise<Undo> {
  return allOf([await cutLane(world, wire, "out"), await cutLane(world, wire, "in")]);
}

function cutLane({ holds, cluster }: World, wire: Wire, direction: "in" | "out"): Promise<Undo> {
  const settle = () => cluster.bus?.settle();
  return holds.hold(wire[direction], {
    down: () => {
      wire[direction].cut();
      settle();
    },
    up: () => {
      wire[direction].heal();
      settle();
    },
  });
}

function swizzle(world: World, stepMs: number): Undo {
  const { cluster, random } = world;
  const names = ["scheduler", "controller-manager", ...cluster.nodes.map(({ name }) => name)];
  const chosen = names.filter(() => random.float() < 0.5);
  const undos: Undo[] = [];
  let isOver = false;
  const steps = [
    ...chosen.map((name) => async () => {
      undos.push(await cutWire(world, cluster.wireOf(name)));
    }),
    ...chosen.map(() => async () => undos.splice(random.integer(undos.length), 1)[0]?.()),
  ];
  steps.forEach((step, index) => cluster.clock.after(index * stepMs, () => void (isOver || step())));
  return async () => {
    isOver = true;
    await allOf(undos)();
  };
}

function isLease({ path }: HandlerRequest): boolean {
  return path.includes("/leases");
}

function isList({ method, path }: HandlerRequest): boolean {
  return method === "GET" && /\/(?:pods|nodes|replicasets|leases)(?:\?|$)/.test(path) && !path.includes("watch=");
}
