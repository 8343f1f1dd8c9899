import type { Clock, Random } from "@kintsugi/clock";
import { createCriRuntime } from "../../grpc/cri-runtime.ts";
import { faultyRuntime, type RuntimeFaults } from "../../simulated/runtime/faults.ts";
import { type CriServer, serveCri, type ServeCriOptions } from "./serve-cri.ts";

export interface CriProxyOptions extends ServeCriOptions {
  /** The real runtime: "unix:///run/containerd/containerd.sock". */
  upstreamEndpoint: string;
  faults: RuntimeFaults;
}

/**
 * A proxy between a kubelet and a real runtime, which delays calls, makes them fail or hang, or
 * drops their answers.
 */
export async function startCriProxy(
  deps: { clock: Clock; random: Random },
  options: CriProxyOptions,
): Promise<CriServer> {
  const upstream = createCriRuntime(deps, { endpoint: options.upstreamEndpoint });
  const server = await serveCri(faultyRuntime(deps.clock, upstream, { faults: options.faults }), options);
  const close = async () => {
    await server.close();
    upstream.close();
  };
  return { endpoint: server.endpoint, close, [Symbol.asyncDispose]: close };
}
