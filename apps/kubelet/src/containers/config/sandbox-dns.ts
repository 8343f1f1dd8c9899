import { parseResolvConf } from "@kintsugi/daemon";
import { type EventSink, nodeReference, type PodEvents } from "../../model/pod-events.ts";
import type { Machine } from "../../machine/kernel/machine.ts";
import type { NodeContext } from "../../model/node-context.ts";
import { type BoundPod, formatPod } from "../../model/bound-pod.ts";
import { type DnsConfig, podDns } from "./pod-dns.ts";

export interface SandboxDnsDeps {
  machine: Pick<Machine, "resolvConf">;
  events: PodEvents;
  nodeEvents: EventSink;
  node: NodeContext;
}

/**
 * Decides the name servers of a new sandbox, with events where they differ from the expected name
 * servers.
 */
export class SandboxDns {
  readonly #deps: SandboxDnsDeps;

  constructor(deps: SandboxDnsDeps) {
    this.#deps = deps;
  }

  /** Undefined leaves the choice to the runtime, which then copies the node's file. */
  async of(pod: BoundPod): Promise<DnsConfig | undefined> {
    const { machine, events, node } = this.#deps;
    const host = parseResolvConf(await machine.resolvConf());
    const { config, lacksClusterDns, warnings } = podDns(pod, { ...node, host });
    if (lacksClusterDns) this.#tellMissing(pod);
    for (const warning of warnings) events.warning(pod, "DNSConfigForming", warning);
    const saysAnything = [config.servers, config.searches, config.options].some((list) => list.length > 0);
    return saysAnything ? config : undefined;
  }

  #tellMissing(pod: BoundPod): void {
    const { events, nodeEvents, node } = this.#deps;
    const reason = "MissingClusterDNS";
    const message =
      'kubelet does not have ClusterDNS IP configured and cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy.';
    nodeEvents.record(nodeReference(node.nodeName), { type: "Warning", reason, message });
    events.warning(pod, reason, `pod: "${formatPod(pod)}". ${message}`);
  }
}
