import { connect, createServer, type Socket } from "node:net";
import type { Logger } from "@kintsugi/api";
import { untilAborted } from "@kintsugi/clock";
import type { ClusterSpec, ForwardedPort } from "../cluster/cluster-spec.ts";
import { nodeAddresses } from "./addresses.ts";

/**
 * Maximum number of connections. Each connection holds two sockets of the supervisor; the limit is
 * above the need of a browser and a load generator.
 */
const connectionsMax = 512;

/**
 * Forwards TCP connections from ports of this host to ports of nodes, until the signal aborts. A
 * port that is in use is reported and left out.
 */
export async function forwardPorts(
  { log }: { log: Logger },
  spec: () => ClusterSpec,
  signal: AbortSignal,
): Promise<void> {
  const sockets = new Set<Socket>();
  const servers = (spec().portForwards ?? []).map((forward) => {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
      const target = targetOf(spec(), forward);
      if (target === undefined) return void client.destroy();
      const node = connect({ ...target, allowHalfOpen: true, noDelay: true });
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

/** A failure of either side ends the other side, because half a connection is useless. */
function passOn(from: Socket, to: Socket): void {
  from.pipe(to);
  from.on("error", () => to.destroy());
  // The other side has already ended after a normal end. This call ends the other side after the
  // destruction of a socket.
  from.on("close", () => to.end());
}
