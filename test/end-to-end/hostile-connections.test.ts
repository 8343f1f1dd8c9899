import { readdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { configMaps } from "@kintsugi/api";
import { createHttpClient } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { expect, test, vi } from "vitest";
import { type ApiServerProcess, prepareApiServer } from "../support/servers/api-server-process.ts";

const openFilesMax = 400;

test("idle sockets beyond the descriptors block neither writes nor new clients, and are closed", async () => {
  await using server = await prepareApiServer({ openFilesMax });
  await server.start();
  const silent: Socket[] = [];
  for (let i = 0; i < 2 * openFilesMax; i++) silent.push(openSilent(server));
  let mostFiles = 0;
  // LevelDB begins new logs and tables in the meantime, each of which opens a file.
  for (let i = 0; i < 60; i++) {
    await write(server, `during-${i}`);
    mostFiles = Math.max(mostFiles, readdirSync(`/proc/${server.pid()}/fd`).length);
    if (i % 3 === 0) silent.push(openSilent(server));
  }
  expect(mostFiles).toBeLessThan(openFilesMax);
  const newcomer = createHttpClient(
    { clock: systemClock, random: systemRandom },
    { ...server.access, userAgent: "kintsugi-test" },
  );
  await newcomer.list(configMaps, { namespace: "default" });
  await newcomer.close();
  // A handshake may take 10 s.
  await vi.waitFor(() => expect(silent.filter((socket) => !socket.destroyed)).toEqual([]), { timeout: 20_000 });
  await write(server, "afterwards");
}, 90_000);

function openSilent({ access }: ApiServerProcess): Socket {
  const socket = connect(Number(new URL(access.server).port), "127.0.0.1");
  socket.on("error", () => {});
  return socket.resume();
}

async function write({ client }: ApiServerProcess, name: string): Promise<void> {
  const made = { apiVersion: "v1" as const, kind: "ConfigMap" as const, metadata: { name }, data: { filler } };
  await client.create(configMaps, made, { namespace: "default" });
}

const filler = "x".repeat(900_000);
