import { profiles } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { flag } from "./flag.ts";
import { HelpRequested, readFlags } from "./read-flags.ts";
import { describeFlags, flagsOf, option, optionDefaults, optionValues } from "./option-table.ts";
import { sampleFile } from "./sample-file.ts";

const program = {
  name: "test",
  description: "A test.",
  file: { apiVersion: "kintsugi.dev/v1alpha1", kind: "TestConfiguration" },
};
const table = {
  graceMs: option(
    "grace-period",
    flag.durationMs({ help: "A grace", byProfile: (timers) => timers.nodeMonitorGracePeriodMs }),
  ),
  isOurs: option("ours", flag.boolean({ help: "Ours", byProfile: (_, profile) => profile !== "kubernetes" })),
  policy: option(
    "policy",
    flag.choice(["ignore", "respect"], { help: "A policy: ignore | respect", fallback: "ignore" }),
  ),
  file: option("file", flag.path({ help: "A file", example: "/etc/a" })),
};
const flags = {
  ...flagsOf(table),
  profile: flag.choice(["default", "kubernetes", "fast"], { help: "", fallback: "default" }),
};
const read = (...argv: string[]) => optionValues(table, readFlags(program, flags, argv));

describe("a table of options", () => {
  test("uses the command line's values, and the profile's defaults for the rest", () => {
    expect(read()).toEqual({ graceMs: 40_000, isOurs: true, policy: "ignore", file: undefined });
    expect(read("--profile=kubernetes")).toMatchObject({ graceMs: 50_000, isOurs: false });
    expect(read("--profile=fast", "--grace-period=7s", "--ours=false", "--file=b")).toEqual({
      graceMs: 7000,
      isOurs: false,
      policy: "ignore",
      file: "b",
    });
  });

  test("has defaults for a program without a command line, even with custom timers", () => {
    expect(optionDefaults(table)).toEqual(read());
    expect(optionDefaults(table, "kubernetes")).toEqual(read("--profile=kubernetes"));
    const timers = { ...profiles.fast, nodeMonitorGracePeriodMs: 1 };
    expect(optionDefaults(table, "fast", timers)).toMatchObject({ graceMs: 1, isOurs: true });
  });

  test("marks in help, in the sample file and in documentation the defaults that the profile determines", () => {
    const help = () => readFlags(program, flags, ["--help"]);
    expect(help).toThrow(HelpRequested);
    expect(help).toThrow(/A grace\s+\(default by profile\)/);
    expect(sampleFile(program, flags)).toContain("# --grace-period (by profile): A grace\n#gracePeriod: 40s\n");
    expect(describeFlags(flagsOf(table)).split("\n").slice(2)).toEqual([
      "| `--grace-period` | kubernetes `50s`, default `40s`, fast `4s` | A grace |",
      "| `--ours` | kubernetes `false`, default `true`, fast `true` | Ours |",
      '| `--policy` | `"ignore"` | A policy: ignore \\| respect |',
      "| `--file` |  | A file |",
    ]);
  });

  test("cannot have defaults by profile in a program without the flag --profile", () => {
    expect(() => readFlags(program, flagsOf(table), [])).toThrow("without a flag for the profile");
  });
});
