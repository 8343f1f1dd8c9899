import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, onTestFinished, test } from "vitest";
import { OtherServers } from "./other-servers.ts";

test("other names are forwarded to the file's servers except to itself; a change applies soon, and a lost file is ignored", async () => {
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-names-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const resolvConf = join(directory, "resolv.conf");
  const clock = new VirtualClock();
  const warned: string[] = [];
  const log = { ...silentLogger, warn: (text: string) => void warned.push(text) };
  const servers = new OtherServers({ clock, log }, { resolvConf, own: ["192.0.2.11", "127.0.0.53"] });
  expect(await servers.list()).toEqual([]);
  expect(warned).toEqual(["cannot read the upstream name servers"]);

  writeFileSync(resolvConf, "nameserver 127.0.0.53\nnameserver 192.0.2.11\nnameserver 192.0.2.53\n");
  expect(await servers.list()).toEqual([]);
  await clock.advance(5_000);
  expect(await servers.list()).toEqual(["192.0.2.53"]);

  rmSync(resolvConf);
  await clock.advance(5_000);
  expect(await servers.list()).toEqual(["192.0.2.53"]);
  expect(warned).toHaveLength(2);
});
