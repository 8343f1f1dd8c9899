import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@kintsugi/clock";
import { expect, test } from "vitest";
import { openRegistration, type RegistrationStatus, serveRegistration } from "./registration.ts";

test("a plugin describes itself at its registration socket, and receives the kubelet's response", async () => {
  const directory = await mkdtemp(join(tmpdir(), "plugin-"));
  const info = { type: "CSIPlugin", name: "a.example", endpoint: "/csi.sock", supportedVersions: ["1.0.0"] };
  const statuses: RegistrationStatus[] = [];
  const socket = join(directory, "reg.sock");
  const server = await serveRegistration(info, socket, (status) => statuses.push(status));
  const registration = openRegistration({ clock: systemClock }, socket);
  const { signal } = new AbortController();
  expect(await registration.getInfo(signal)).toEqual(info);
  await registration.notify({ pluginRegistered: false, error: "no" }, signal);
  expect(statuses).toEqual([{ pluginRegistered: false, error: "no" }]);
  registration.close();
  await server.close();
  await rm(directory, { recursive: true });
});
