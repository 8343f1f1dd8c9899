import { spawnSync } from "node:child_process";
import { Command, Option } from "commander";
import { expect, test } from "vitest";
import { completedCommands } from "./completion-command.ts";
import { completionScript } from "./completion-scripts.ts";

function aProgram(): Command {
  const program = new Command("kintsugi").option("-q, --quiet", "no progress");
  program
    .command("up")
    .description("Create a cluster: it's new")
    .addOption(new Option("--profile <profile>", "timers").choices(["default", "fast"]))
    .option("--config <file>", "topology");
  const node = program.command("node").description("Act on nodes");
  node.command("kill <node>").description("Cut the power");
  return program;
}

const commands = completedCommands(aProgram());

/** Completes the last word with the script, as bash does. */
function completedByBash(...words: string[]): string[] {
  const script = `${completionScript("bash", commands)}
COMP_WORDS=(kintsugi ${words.map((each) => `'${each}'`).join(" ")}); COMP_CWORD=${words.length}
compopt() { :; }
_kintsugi; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { status, stdout, stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout.split("\n").filter((each) => each !== "");
}

test.each<[string[], string[]]>([
  [[""], ["up", "node", "-q", "--quiet", "-h", "--help"]],
  [["u"], ["up"]],
  [["up", "--p"], ["--profile"]],
  [
    ["up", "--profile", ""],
    ["default", "fast"],
  ],
  [["up", "--profile", "fast", "--c"], ["--config"]],
  [["node", "k"], ["kill"]],
  [["node", "kill", "node-1", "--h"], ["--help"]],
])("bash completes %j by %j", (words, completed) => {
  expect(completedByBash(...words)).toEqual(completed);
});

test("the value of an option for a file is completed as a path", () => {
  expect(completedByBash("up", "--config", "/etc/hos")).toContain("/etc/hosts");
});

test("zsh and fish receive every command and option, with quoted texts", () => {
  const zsh = completionScript("zsh", commands);
  expect(zsh).toContain("'up|--profile') compadd -- 'default' 'fast'; return ;;");
  expect(zsh).toContain("'node kill') compadd -- '-h' '--help' ;;");
  const fish = completionScript("fish", commands);
  expect(fish).toContain(`-a 'up' -d 'Create a cluster: it'\\''s new'`);
  expect(fish).toContain(`'__kintsugi_at "up"' -l config -r -F -d 'topology'`);
});
