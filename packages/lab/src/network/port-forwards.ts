import { connect, createServer, type Socket } from "node:net";
import type { Logger } from "@kintsugi/api";
import { untilAborted } from "@kintsugi/clock";
import type { ClusterSpec, ForwardedPort } from "../cluster/cluster-spec.ts";
import { nodeAddresses } from "./addresses.ts";

/** Each holds two sockets of the supervisor; more than a browser and a load generator need. */
const connectionsMax = 512;

/**
 * Passes TCP connections to ports of this host on to ports of nodes, until the signal aborts. A
 * port that is taken is reported and left out: the cluster runs without it.
 */
export async function forwardPorts(
  { log }: { log: Logger },
  spec: () => ClusterSpec,
  signal: AbortSignal,
): Promise<void> {
  const sockets = new Set<Socket>();
  const servers = (spec().portForwards ?? []).map((forward) => {
    const server = createServer({ allowHalfOpen: true }, (client) => {
      const target = targetOf(spec(), forward);
      if (target === undefined) return void client.destroy();
      const node = connect({ ...target, allowHalfOpen: true });
      for (const socket of [client, node]) {
        sockets.add(socket);
        socket.once("close", () => sockets.delete(socket));
      }
      passOn(client, node);
      passOn(node, client);
    });
    server.maxConnections = connectionsMax;
    server.on("error", (error) => log.warn("port cannot be forwarded", { port: forward.hostPort, error }));
    server.listen(forward.hostPort, forward.hostAddress ?? "127.0.0.1");
    return server;
  });
  await untilAborted(signal);
  for (const server of servers) server.close();
  for (const socket of sockets) socket.destroy();
}

/** Undefined while the node does not exist. */
function targetOf(spec: ClusterSpec, { node: name, nodePort }: ForwardedPort) {
  const node = spec.nodes.find((candidate) => candidate.name === name);
  return node && { host: nodeAddresses(spec, node).address, port: nodePort };
}

/** A failure of either side ends the other: a half of a connection is of no use. */
function passOn(from: Socket, to: Socket): void {
  from.pipe(to);
  from.on("error", () => to.destroy());
  // An end by itself has ended the other already; a socket that was destroyed ends it here.
  from.on("close", () => to.end());
}
