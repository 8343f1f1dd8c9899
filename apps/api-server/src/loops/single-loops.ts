import type { AdvertisedAddress } from "../server-options.ts";
import type { RecoveryTraces } from "../traces/recovery-traces.ts";
import type { Relay } from "../watch/relay.ts";
import { amongServers, type AmongServersDeps } from "./among-servers.ts";
import { runCompactor } from "./compactor.ts";
import { runEventSweeper } from "./event-sweeper.ts";
import { runKubernetesService } from "./kubernetes-service.ts";
import type { LoopBody } from "./run-loops.ts";

interface SingleLoopsDeps extends AmongServersDeps {
  /** Undefined: this server is the only one with its objects. */
  readonly amongServers?: { readonly hostname: string } | undefined;
  readonly relay: Pick<Relay, "run"> | undefined;
  /** Undefined: tracing is off. */
  readonly traces: Pick<RecoveryTraces, "run"> | undefined;
}

/** The loops that run once per cluster, on this server or on one of several servers. */
export function singleLoops(deps: SingleLoopsDeps): LoopBody[] {
  const { context, relay, traces } = deps;
  const { advertised } = context.options;
  const singles = (servers: () => readonly AdvertisedAddress[]): LoopBody[] => [
    (stop) => runEventSweeper({ ...context, clock: context.calendar }, stop),
    (stop) => runCompactor(context, context.options, stop),
    ...(advertised === undefined
      ? []
      : [(stop: AbortSignal) => runKubernetesService(context, { advertised, servers }, stop)]),
    ...(relay === undefined ? [] : [(stop: AbortSignal) => relay.run(stop)]),
    ...(traces === undefined ? [] : [(stop: AbortSignal) => traces.run(stop)]),
  ];
  if (deps.amongServers === undefined) return singles(() => (advertised === undefined ? [] : [advertised]));
  return amongServers(deps, { ...deps.amongServers, advertised, singles });
}
