import type { Node } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import type { EventSink } from "./model/pod-events.ts";
import type { KubeletDeps } from "./kubelet.ts";
import { type KubeletOptions, kubeletVersion } from "./kubelet-options.ts";
import { ClockCheck } from "./node/registration/clock-check.ts";
import { LeaseRenewer } from "./node/registration/lease-renewer.ts";
import type { ReservedResources } from "./model/node-context.ts";
import { NodeReporter } from "./node/registration/node-reporter.ts";
import { PodNetwork } from "./node/registration/pod-network.ts";
import { RuntimeHealth } from "./node/registration/runtime-health.ts";

/** What the rest of the kubelet lends to those who speak for the node. */
interface NodeSurroundings {
  events: EventSink;
  /** What no pod gets, all told. */
  reserved: ReservedResources;
  nodes: Informer<Node>;
  plegUnhealthyBecause(): string | undefined;
  findNode(): Node | undefined;
  onRevisions(seen: { pods: number; node: number }): void;
  pressure(): readonly string[];
}

interface NodeVoice {
  health: RuntimeHealth;
  reporter: NodeReporter;
  lease: LeaseRenewer;
  network: PodNetwork;
  /** Why the node is not ready; empty when it is. */
  readonly errors: () => string[];
}

/** Assembles what tells the cluster that the node is there, and how it is. */
export function assembleNode(deps: KubeletDeps, options: KubeletOptions, around: NodeSurroundings): NodeVoice {
  const { client, clock, runtime, log } = deps;
  const { events, reserved, nodes } = around;
  const health = new RuntimeHealth({ runtime, clock, log, onChanged: () => reporter.hurry() });
  const errors = () => [...health.errors(), around.plegUnhealthyBecause()].filter((each) => each !== undefined);
  const reporter: NodeReporter = new NodeReporter(
    {
      ...deps,
      events,
      errors,
      findNode: () => around.findNode(),
      pressure: () => around.pressure(),
      handlers: () => health.handlers(),
      podCidr: () => network.podCidr,
    },
    { identity: { ...options, reserved }, kubeletVersion, ...options.nodeStatus },
  );
  const onReady = () => reporter.hurry();
  const network = new PodNetwork({ runtime, clock, log, health, nodes, onReady }, options);
  const clocks = new ClockCheck({ clock, log, events }, options);
  const lease = new LeaseRenewer(
    {
      client,
      clock,
      log,
      onRevisions: (seen) => around.onRevisions(seen),
      onDate: (date) => clocks.notice(date),
    },
    { ...options, ...options.lease },
  );
  return { health, reporter, lease, network, errors };
}
