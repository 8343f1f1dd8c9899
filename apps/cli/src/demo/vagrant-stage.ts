import { access, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ProfileName, profiles } from "@kintsugi/api";
import { type Client, loadKubeconfig } from "@kintsugi/client";
import { ownContainerdSocket } from "@kintsugi/lab";
import { parse } from "yaml";
import { clientWith } from "../base/cluster-access.ts";
import { type CommandContext, CommandError } from "../base/command.ts";
import { runProgram } from "../base/run-program.ts";
import { stepUntilUsable, waitForApi } from "../base/wait-for-cluster.ts";
import { removeWebServers } from "./cluster-view.ts";
import { machinesByShell, type NodeShell, quoted } from "./machines-by-shell.ts";
import type { Machines, Stage } from "./stage.ts";
import { type LabMachine, machineStates } from "./vagrant-status.ts";

export interface VagrantStageOptions {
  /** The profile of a lab that is made for the demo; an existing lab keeps its own. */
  profile: ProfileName;
}

/**
 * Time within which a machine boots, and its kubelet starts its pods; without hardware
 * virtualization, minutes are normal.
 */
const patienceMs = 900_000;

/**
 * The lab of deploy/vagrant. An existing lab is used unchanged, and remains. Otherwise the lab is
 * made, and is removed afterwards.
 * @throws CommandError when it cannot be started, or its machines were halted.
 */
export async function openVagrantStage(context: CommandContext, options: VagrantStageOptions): Promise<Stage> {
  const { terminal } = context;
  const directory = join(context.config.repository, "deploy/vagrant");
  const vagrant = ({ signal }: CommandContext, ...args: string[]) =>
    runProgram(
      { environment: { KINTSUGI_PROFILE: options.profile, ...context.config.inherited }, directory, signal },
      "vagrant",
      args,
    );
  const destroy = () =>
    terminal.step("Removing the machines", async () => {
      await vagrant({ ...context, signal: AbortSignal.any([]) }, "destroy", "--force");
    });
  const machines = machineStates(await vagrant(context, "status", "--machine-readable"));
  const isOurs = machines.every(({ state }) => state === "not_created");
  try {
    if (isOurs) await bringUp(context, directory, (...args) => vagrant(context, ...args));
    else requireRunning(machines);
    return await openLab(context, {
      directory,
      machines,
      vagrant: (...args) => vagrant(context, ...args),
      leave: isOurs ? destroy : undefined,
    });
  } catch (error) {
    if (isOurs) await destroy().catch((failed: unknown) => terminal.say((failed as Error).message));
    throw error;
  }
}

type Vagrant = (...args: string[]) => Promise<string>;

async function bringUp(context: CommandContext, directory: string, vagrant: Vagrant): Promise<void> {
  const { config, signal, terminal } = context;
  const archive = join(directory, "kintsugi.tar.gz");
  const pack = join(config.repository, "deploy/provision/pack.sh");
  await terminal.step("Archive", () => runProgram({ environment: config.inherited, signal }, pack, [archive]));
  await terminal.step("Machines (takes minutes if the machines are emulated)", () => vagrant("up"));
}

function requireRunning(machines: readonly LabMachine[]): void {
  const others = machines.filter(({ state }) => state !== "running");
  if (others.length > 0)
    throw new CommandError(
      `of the lab in deploy/vagrant, ${others.map(({ name, state }) => `${name} is ${state}`).join(", ")}: run \`vagrant up\` there first, or \`vagrant destroy\``,
    );
}

interface Lab {
  directory: string;
  machines: readonly LabMachine[];
  vagrant: Vagrant;
  /** Removes the lab that was made; undefined for a lab that existed before. */
  leave: (() => Promise<void>) | undefined;
}

async function openLab(context: CommandContext, lab: Lab): Promise<Stage> {
  const { clock, terminal, signal } = context;
  const names = lab.machines.map(({ name }) => name).filter((name) => name.startsWith("node-"));
  const kubeconfig = join(lab.directory, "kubeconfig");
  await access(kubeconfig).catch((cause: unknown) => {
    throw new CommandError(`${kubeconfig} does not exist: run \`vagrant provision control\` in deploy/vagrant`, {
      cause,
    });
  });
  const ssh = await mkdtemp(join(tmpdir(), "kintsugi-vagrant-"));
  const client = clientWith(context, loadKubeconfig(kubeconfig));
  try {
    await writeFile(join(ssh, "config"), await lab.vagrant("ssh-config"), { mode: 0o600 });
    const shell = sshShell(context, join(ssh, "config"));
    await terminal.step("Control plane", () => waitForApi({ clock, signal }, client, patienceMs));
    await stepUntilUsable(context, client, { names, waitMs: patienceMs });
    return {
      client,
      profile: await profileOf(names[0] ?? "node-1", shell),
      patienceMs,
      nodes: names,
      machines: virtualMachines(lab.vagrant, shell),
      leave: ({ keep }) => leaveLab(context, { lab, client, ssh, keep }),
    };
  } catch (error) {
    await client.close();
    await rm(ssh, { recursive: true, force: true });
    throw error;
  }
}

async function leaveLab(
  { terminal }: CommandContext,
  { lab, client, ssh, keep }: { lab: Lab; client: Client; ssh: string; keep: boolean },
): Promise<void> {
  if (!keep && lab.leave === undefined) await removeWebServers(client, terminal);
  await client.close();
  await rm(ssh, { recursive: true, force: true });
  if (keep || lab.leave === undefined)
    return terminal.say("\nThe lab stays up; in deploy/vagrant: kubectl --kubeconfig kubeconfig get pods -o wide");
  return lab.leave();
}

function virtualMachines(vagrant: Vagrant, shell: NodeShell): Machines {
  return {
    kill: async (node) => void (await vagrant("halt", "--force", node)),
    return: async (node) => void (await vagrant("up", node)),
    ...machinesByShell(shell),
  };
}

/**
 * `vagrant ssh` queries its provider first, which takes seconds; this is the command that it then
 * runs.
 */
function sshShell({ config, signal }: CommandContext, configFile: string): NodeShell {
  return (node, command) => {
    const words = ["sudo", `CONTAINERD_ADDRESS=${ownContainerdSocket}`, ...command];
    const line = words.map(quoted).join(" ");
    return runProgram({ environment: config.inherited, signal }, "ssh", ["-F", configFile, node, line]);
  };
}

/** Returns the lab's timers, from the configuration of its nodes. */
async function profileOf(node: string, shell: NodeShell): Promise<ProfileName> {
  const { profile } = parse(await shell(node, ["cat", "/etc/kintsugi/kubelet.yaml"])) as { profile?: string };
  if (profile !== undefined && profile in profiles) return profile as ProfileName;
  throw new CommandError(`the kubelet of ${node} has no profile that this version knows: ${profile}`);
}
