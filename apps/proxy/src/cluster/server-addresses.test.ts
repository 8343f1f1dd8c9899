import { silentLogger } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { ServerAddresses } from "./server-addresses.ts";

test("names are resolved repeatedly and keep their last addresses, and addresses are available immediately", async () => {
  const clock = new VirtualClock();
  const urls = ["https://192.0.2.1:6443", "tls://nats:4222", "tls://[fd00::2]:4222", "no URL"];
  let answer: () => Promise<readonly string[]> = async () => ["192.0.2.2"];
  const addresses = new ServerAddresses({ clock, log: silentLogger, urls: () => urls, resolve: () => answer() });
  expect(addresses.list()).toEqual(["192.0.2.1", "fd00::2"]);
  const stop = new AbortController();
  const running = addresses.run(stop.signal);
  await clock.settle();
  expect(addresses.list()).toEqual(["192.0.2.1", "192.0.2.2", "fd00::2"]);
  answer = () => Promise.reject(new Error("no server"));
  await clock.advance(61_000);
  expect(addresses.list()).toEqual(["192.0.2.1", "192.0.2.2", "fd00::2"]);
  answer = async () => ["192.0.2.3"];
  await clock.advance(61_000);
  expect(addresses.list()).toEqual(["192.0.2.1", "192.0.2.3", "fd00::2"]);
  urls.splice(1, 1);
  await clock.advance(61_000);
  expect(addresses.list()).toEqual(["192.0.2.1", "fd00::2"]);
  stop.abort();
  await running;
});
