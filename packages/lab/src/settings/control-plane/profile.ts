import { type ProfileName, profileNames } from "@kintsugi/api";
import { z } from "zod";
import { plainField, type ProgramName, defineSetting } from "../setting.ts";

const programs: readonly ProgramName[] = [
  "api-server",
  "scheduler",
  "controller-manager",
  "kubelet",
  "proxy",
  "csi-controller",
  "ingress-controller",
  "cloud-controller-manager",
  "cluster-autoscaler",
  "hollow",
];

export const profileSetting = defineSetting({
  name: "profile",
  help: "set of values for all timers",
  flag: { flags: "--profile <profile>", choices: profileNames },
  field: plainField<ProfileName>("profile", z.enum(profileNames)),
  store: (desired = "default"): { profile: ProfileName } => ({ profile: desired }),
  contradiction: (spec, desired) => (desired === spec.profile ? undefined : `profile ${spec.profile}, not ${desired}`),
  gives: (spec) => Object.fromEntries(programs.map((program) => [program, { profile: spec.profile }])),
});
