import type { CsiLoops } from "./assemble-csi.ts";
import type { KubeletContext } from "./kubelet-context.ts";
import type { KubeletOptions } from "./kubelet-options.ts";
import { ClockCheck } from "./node/registration/clock-check.ts";
import { LeaseRenewer } from "./node/registration/lease-renewer.ts";
import { NodeReporter } from "./node/registration/node-reporter.ts";
import { PodNetwork } from "./node/registration/pod-network.ts";

interface NodeVoice {
  reporter: NodeReporter;
  lease: LeaseRenewer;
  network: PodNetwork;
}

/** Assembles the parts that register the node and report its state to the cluster. */
export function assembleNode(context: KubeletContext, options: KubeletOptions, csi: CsiLoops | undefined): NodeVoice {
  const { client, clock, runtime, machine, log, nodeEvents: events, copies, health, pleg, pressure } = context;
  const network = new PodNetwork({ runtime, clock, log, health, nodes: copies.node }, options);
  const reporter = new NodeReporter(
    {
      client,
      clock,
      runtime,
      machine,
      log,
      events,
      health,
      pleg,
      pressure,
      network,
      nodes: copies.node,
      volumesInUse: csi && (() => csi.volumes.inUse()),
    },
    {
      identity: { ...options, reserved: context.withheld },
      kubeletVersion: options.version,
      ...options.nodeStatus,
      leaseDurationMs: options.lease.durationMs,
    },
  );
  health.onChanged(() => reporter.hurry());
  pressure.onChanged(() => reporter.hurry());
  csi?.volumes.onChanged(() => reporter.hurry());
  network.onReady(() => reporter.hurry());
  const clocks = new ClockCheck({ clock, log, events }, options);
  const lease = new LeaseRenewer(
    {
      client,
      clock,
      log,
      onRevisions: (seen) => {
        copies.pods.noticeRevision(seen.pods);
        copies.node.noticeRevision(seen.node);
      },
      onDate: (date) => clocks.notice(date),
      onRenewed: (sentAtMs) => {
        context.fence.noteRenewal(sentAtMs);
        reporter.noteRenewal(sentAtMs);
      },
    },
    { ...options, ...options.lease },
  );
  return { reporter, lease, network };
}
