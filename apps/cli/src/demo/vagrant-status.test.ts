import { expect, test } from "vitest";
import { machineStates } from "./vagrant-status.ts";

test("the states of the machines are parsed from vagrant's machine-readable output", () => {
  const text = [
    "1795322726,control,metadata,provider,libvirt",
    "1795322729,control,provider-name,libvirt",
    "1795322729,control,state,running",
    "1795322729,control,state-human-short,running",
    "1795322730,node-1,state,not_created",
    "1795322730,,ui,info,Current machine states:\\n\\ncontrol  running (libvirt)",
    "",
  ].join("\r\n");
  expect(machineStates(text)).toEqual([
    { name: "control", state: "running" },
    { name: "node-1", state: "not_created" },
  ]);
});
