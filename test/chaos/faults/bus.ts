import { type Fault, type Injected, pick, type World } from "./fault.ts";
import type { LineFault } from "../../support/servers/fault-proxy.ts";

/** NATS only notifies: a fault of NATS must cause only delays, not errors. */
export const busFaults: readonly Fault[] = [
  // The absence may last longer than the client library's own retries.
  busFault("nats-server cannot be reached by anybody", { refuses: true }, { min: 3_000, max: 24_000 }, everybody),
  busFault("NATS is slow", { delayMs: 700, bytesPerSecondMax: 20_000 }, { min: 3_000, max: 10_000 }, everybody),
  busFault("a node is cut off from NATS", { stuck: "both" }, { min: 3_000, max: 12_000 }, aNode),
  busFault("a node does not hear NATS", { stuck: "toClient" }, { min: 3_000, max: 12_000 }, aNode),
  busFault("the api-server is cut off from NATS", { stuck: "toServer" }, { min: 3_000, max: 12_000 }, theHost),
  busFault("connections to NATS break off", { resetAfterBytes: 20_000 }, { min: 3_000, max: 10_000 }, everybody),
];

interface Target {
  readonly onto: string;
  readonly clients: (address: string) => boolean;
}

function busFault(name: string, fault: LineFault, lastsMs: Fault["lastsMs"], target: (world: World) => Target): Fault {
  return {
    name,
    family: "bus",
    lastsMs,
    keeps: "pods",
    async inject(world): Promise<Injected> {
      const { onto, clients } = target(world);
      const { nats } = world.cluster.proxies;
      nats.setFault(fault, clients);
      if (fault.refuses) nats.reset(clients);
      return { onto, undo: async () => nats.mend() };
    },
  };
}

function everybody(): Target {
  return { onto: "everybody", clients: () => true };
}

function aNode({ cluster, random }: World): Target {
  const node = pick(random, cluster.nodeNames);
  const address = cluster.addressOf(node);
  return { onto: node, clients: (other) => other === address };
}

/** Relay, scheduler and controller-manager share the host's address. */
function theHost({ cluster }: World): Target {
  const address = cluster.addressOf("load");
  return { onto: "the host", clients: (other) => other === address };
}
