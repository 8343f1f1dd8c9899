import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { endWithThis } from "../run-program.ts";

/**
 * A port of this process that is forwarded to a port behind another network namespace's loopback.
 */
export interface NamespacePort extends AsyncDisposable {
  readonly port: number;
}

// Unix sockets are independent of network namespaces: a small program inside listens on one, and
// this process connects to it.
const inside = `
const net = require("node:net");
const [socketPath, port] = process.argv.slice(1);
const join = (a, b) => { a.pipe(b); b.pipe(a); for (const [x, y] of [[a, b], [b, a]]) { x.on("error", () => y.destroy()); x.on("close", () => y.destroySoon()); } };
net.createServer({ allowHalfOpen: true }, (outer) => join(outer, net.connect({ host: "127.0.0.1", port: Number(port), allowHalfOpen: true })))
  .listen(socketPath, () => console.log("ready"));
`;

export async function openNamespacePort(options: {
  namespacePath: string;
  port: number;
  /** The directory of the socket. */
  directory: string;
}): Promise<NamespacePort> {
  const socketPath = join(options.directory, `port-${options.port}.sock`);
  const node = [process.execPath, "-e", inside, socketPath, String(options.port)];
  const child = spawn("nsenter", [`--net=${options.namespacePath}`, ...node], { stdio: ["ignore", "pipe", "inherit"] });
  endWithThis(child);
  await new Promise((resolve, reject) => {
    child.stdout.once("data", resolve);
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`nobody listens for port ${options.port}`)));
  });
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (outer) => {
    const inner = connect({ path: socketPath, allowHalfOpen: true });
    for (const [from, to] of [
      [outer, inner],
      [inner, outer],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroySoon());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      child.kill();
      await rm(socketPath, { force: true });
    },
  };
}
