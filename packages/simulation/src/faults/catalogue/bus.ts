import type { Random } from "@kintsugi/clock";
import type { Delivery, Fate } from "@kintsugi/watch-stream/simulated";
import { busLateMaxMs } from "../../network/bus-links.ts";
import { type Fault, pick, setting, alreadyOver, word } from "../fault.ts";
import { callerOf, holdDown, processOf } from "../targets.ts";

/** Faults of the bus and of the messages on it. */
export const busFaults: readonly Fault[] = [
  {
    name: "bus-away",
    catalogue: ["F12", "F13"],
    sentence: "The bus is down, and all clients read from the API server.",
    target: "none",
    lasts: true,
    mayStay: true,
    inject: ({ cluster: { bus }, holds }) =>
      bus && holds.hold(bus, { down: () => bus.setAway(true), up: () => bus.setAway(false) }),
  },
  {
    name: "bus-wiped",
    catalogue: ["F12"],
    sentence: "The bus is restarted without its state: all connections are lost and established again.",
    target: "none",
    lasts: false,
    inject: ({ cluster: { bus } }) => {
      bus?.resetAll();
      return bus && alreadyOver;
    },
  },
  {
    name: "slow-consumer",
    catalogue: ["F14"],
    sentence:
      "A process reads too slowly from the bus: its connection is closed, and the messages that it has not read are lost.",
    target: "process",
    lasts: false,
    inject: (world, planned) => {
      const name = processOf(world, planned)?.name;
      return name !== undefined && world.cluster.bus?.reset(name) ? alreadyOver : undefined;
    },
  },
  {
    name: "bus-in-disorder",
    catalogue: ["F16", "F17"],
    sentence: "The bus loses, duplicates and delays changes, so that their order changes.",
    target: "none",
    lasts: true,
    inject: ({ cluster, randomOf }) => cluster.bus?.impairments.add(({ to }) => disorder(randomOf(to))),
  },
  busFault("bus-loses", "The bus loses a share `share` of the changes.", () => "drop"),
  busFault("bus-duplicates", "The bus delivers a share `share` of the changes twice.", () => "duplicate"),
  busFault(
    "bus-late",
    "A share `share` of the changes is delayed by up to 3 s, so that other changes overtake them.",
    (random) => ({
      delayMs: random.integer(busLateMaxMs),
    }),
  ),
  {
    name: "hide-events",
    catalogue: ["F17", "Sieve"],
    sentence:
      "One process never receives the changes of one resource, nor the messages by which it would detect the loss.",
    target: "process",
    lasts: true,
    draw: (random) => ({ resource: pick(random, ["pods", "nodes", "replicasets", "leases"]) ?? "pods" }),
    inject: (world, planned) => {
      const found = callerOf(world, planned);
      const resource = `.${word(planned, "resource", "pods")}.`;
      const isHidden = (subject: string) => subject.includes(resource) || subject.endsWith(".marks");
      const hides = ({ to, subject }: Delivery) => to === found?.name && isHidden(subject);
      return found && world.cluster.bus?.impairments.add((delivery) => (hides(delivery) ? "drop" : undefined));
    },
  },
  {
    name: "herd",
    catalogue: ["F34"],
    sentence: "API server and bus are restarted at the same time, so that all clients list everything.",
    target: "none",
    lasts: true,
    inject: async (world) => {
      const { bus, server } = world.cluster;
      const letGo = await holdDown(world, server.process);
      return async () => {
        bus?.resetAll();
        await letGo();
      };
    },
  },
];

function busFault(name: string, sentence: string, fate: (random: Random) => Fate): Fault {
  return {
    name,
    catalogue: ["F17"],
    sentence,
    target: "none",
    lasts: true,
    draw: (random) => ({ share: pick(random, [0.05, 0.3, 1]) ?? 0.3 }),
    inject: ({ cluster, randomOf }, planned) =>
      cluster.bus?.impairments.add(({ to }) => {
        const random = randomOf(to);
        return random.float() < setting(planned, "share", 0.3) ? fate(random) : undefined;
      }),
  };
}

function disorder(random: Random): Fate {
  const roll = random.float();
  if (roll < 0.2) return "drop";
  if (roll < 0.4) return "duplicate";
  if (roll < 0.6) return { delayMs: random.integer(busLateMaxMs) };
  return "deliver";
}
