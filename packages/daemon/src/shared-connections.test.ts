import { once } from "node:events";
import { createServer, get } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { SharedConnections, shareConnections } from "./shared-connections.ts";

/** The server end of a connection, as far as shares inspect it. */
function aConnection(remoteAddress: string) {
  const ended: (() => void)[] = [];
  const connection = {
    remoteAddress,
    destroyed: false,
    once: (_: string, listener: () => void) => void ended.push(listener),
    destroy() {
      if (connection.destroyed) return;
      connection.destroyed = true;
      for (const each of ended) each();
    },
  };
  return connection;
}

test("a client cannot exceed its share of connections, and the client with the most makes room for others", () => {
  const shares = new SharedConnections({ max: 5, maxOfClient: 3 });
  const admitted = (address: string) => {
    const connection = aConnection(address);
    return { connection, admitted: shares.admit(connection as unknown as Socket) };
  };
  const greedy = Array.from({ length: 4 }, () => admitted("10.1.0.2"));
  expect(greedy.map((each) => each.admitted)).toEqual([true, true, true, false]);
  const other = admitted("10.1.0.3");
  const third = admitted("10.1.0.4");
  expect([other.admitted, third.admitted, greedy[0]?.connection.destroyed]).toEqual([true, true, false]);
  // All places are taken, so the oldest connection of the client with the most connections is
  // closed.
  const fourth = admitted("10.1.0.5");
  expect([fourth.admitted, greedy.map(({ connection }) => connection.destroyed)]).toEqual([
    true,
    [true, false, false, true],
  ]);
  // A connection that has ended no longer counts.
  greedy[1]?.connection.destroy();
  expect([admitted("10.1.0.2").admitted, other.connection.destroyed]).toEqual([true, false]);
  shares.endAll();
  expect([other, third, fourth].every(({ connection }) => connection.destroyed)).toBe(true);
});

test("among clients with one connection each, a new connection closes the oldest", () => {
  const shares = new SharedConnections({ max: 2, maxOfClient: 3 });
  const connections = ["a", "b", "c"].map(aConnection);
  for (const connection of connections) shares.admit(connection as unknown as Socket);
  expect(connections.map(({ destroyed }) => destroyed)).toEqual([true, false, false]);
});

test("an HTTP server answers while another client keeps as many connections open as possible", async () => {
  const server = createServer((_request, response) => response.end("ok"));
  shareConnections(server, { max: 8, maxOfClient: 8 });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const silent = Array.from({ length: 32 }, () => {
    const socket = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.9" });
    return socket.on("error", () => {});
  });
  onTestFinished(() => {
    for (const socket of silent) socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  await expect.poll(() => silent.filter(({ destroyed }) => destroyed).length).toBe(24);
  const [response] = (await once(get({ port, host: "127.0.0.1" }), "response")) as [{ statusCode: number }];
  expect(response.statusCode).toBe(200);
});
