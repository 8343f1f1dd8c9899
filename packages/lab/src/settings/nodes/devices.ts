import { countedNoun } from "@kintsugi/api";
import { z } from "zod";
import { plainField, defineSetting, wholeNumber } from "../setting.ts";

/** The limit of the lab's device driver. */
const devicesMax = 1024;

export const devicesSetting = defineSetting({
  name: "devices",
  help: "number of simulated devices on each node, for ResourceClaims of the class device.lab.kintsugi.dev (docs/design/devices.md)",
  flag: { flags: "--devices <count>", parse: wholeNumber({ min: 1, max: devicesMax }) },
  field: plainField("devices", z.int().min(1).max(devicesMax)),
  store: (desired): { devices?: number } => (desired === undefined ? {} : { devices: desired }),
  contradiction: ({ devices: present = 0 }, desired) =>
    desired === present ? undefined : `${countedNoun(present, "device")} on each node, not ${desired}`,
  gives: ({ devices: present = 0 }) => ({ "device-lab": { devices: present } }),
});
