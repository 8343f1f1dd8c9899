import { spawn } from "node:child_process";
import { endWithThis, eventually } from "./run-program.ts";

// kubectl as a process that runs in parallel with a test, or on a terminal.

/** The kubectl, and its cluster. */
export interface KubectlOf {
  program: string;
  kubeconfig: string;
}

/** Runs a shell command on a separate terminal. */
export function runScript(command: string): Promise<{ code: number | null; stdout: string }> {
  const child = endWithThis(
    spawn("script", ["-qec", command, "/dev/null"], { stdio: ["pipe", "pipe", "inherit"], timeout: 30_000 }),
  );
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, stdout })));
}

export interface RunningKubectl extends AsyncDisposable {
  /** Returns its output so far. */
  output(): string;
  write(input: string): void;
}

export function startKubectl({ program, kubeconfig }: KubectlOf, args: string): RunningKubectl {
  const child = endWithThis(spawn(program, ["--kubeconfig", kubeconfig, ...args.split(" ")]));
  const ended = new Promise((resolve) => child.once("close", resolve));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return {
    output: () => output,
    write: (input) => child.stdin.write(input),
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await ended;
    },
  };
}

export interface PortForward extends RunningKubectl {
  /** Returns the port on this machine that is forwarded to a port of the pod. */
  port(remote: number): number;
}

export async function startPortForward(
  kubectlOf: KubectlOf,
  [target, ...ports]: readonly string[],
): Promise<PortForward> {
  const kubectl = startKubectl(kubectlOf, `port-forward ${target} ${ports.join(" ")}`);
  const find = (port: string) =>
    new RegExp(`127\\.0\\.0\\.1:(\\d+) -> ${port.slice(1)}\\n`).exec(kubectl.output())?.[1];
  await eventually("ports are forwarded", async () => ports.every((port) => find(port) !== undefined));
  return { ...kubectl, port: (remote) => Number(find(`:${remote}`)) };
}
