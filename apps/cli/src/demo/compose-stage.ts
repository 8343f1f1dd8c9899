import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contextName } from "@kintsugi/api";
import type { ProfileName } from "@kintsugi/api";
import { loadKubeconfig } from "@kintsugi/client";
import { findRoom } from "@kintsugi/lab";
import { clientWith } from "../base/cluster-access.ts";
import { type CommandContext, CommandError } from "../base/command.ts";
import { runProgram } from "../base/run-program.ts";
import { stepUntilUsable, waitForApi } from "../base/wait-for-cluster.ts";
import { machinesByShell } from "./machines-by-shell.ts";
import { type Machines, type Stage, usualPatienceMs } from "./stage.ts";

export interface ComposeStageOptions {
  name: string;
  profile: ProfileName;
  apiPort?: number;
  /** The time for the start, in milliseconds. */
  wait: number;
}

/** The nodes of deploy/compose/docker-compose.yml. */
const nodeNames = ["node-1", "node-2", "node-3"];

/**
 * A cluster of deploy/compose under its own project name. If it cannot be started, everything is
 * removed.
 */
export async function openComposeStage(context: CommandContext, options: ComposeStageOptions): Promise<Stage> {
  const { terminal, clock, signal } = context;
  const output = await mkdtemp(join(tmpdir(), "kintsugi-compose-"));
  const project = await composeProject(context, options, output);
  const removed = { ...context, signal: AbortSignal.any([]) };
  const remove = async () => {
    await terminal.step(`Removing the containers of ${project.name}`, () => project.compose(removed, "down", "-v"));
    await rm(output, { recursive: true, force: true });
  };
  try {
    await terminal.step("Containers", () => project.compose(context, "up", "-d"));
    const kubeconfig = join(output, "kubeconfig");
    const client = clientWith(context, loadKubeconfig(kubeconfig));
    await terminal.step("Control plane", () => waitForApi({ clock, signal }, client, options.wait));
    await stepUntilUsable(context, client, { names: nodeNames, waitMs: options.wait });
    return {
      client,
      profile: options.profile,
      patienceMs: usualPatienceMs,
      nodes: nodeNames,
      machines: containerMachines(context, project.name),
      async leave({ keep }) {
        await client.close();
        if (!keep) return remove();
        terminal.say(`\nThe cluster stays up: kubectl get pods -o wide --kubeconfig ${kubeconfig}`);
        terminal.say(`To remove it, run in deploy/compose: docker compose -p ${project.name} down -v`);
      },
    };
  } catch (error) {
    await remove().catch((failed: unknown) => terminal.say((failed as Error).message));
    throw error;
  }
}

interface ComposeProject {
  name: string;
  compose(context: CommandContext, ...args: string[]): Promise<string>;
}

async function composeProject(
  context: CommandContext,
  options: ComposeStageOptions,
  output: string,
): Promise<ComposeProject> {
  const { config } = context;
  const [program = "docker", ...words] = await composeCommand(context);
  const name = contextName(options.name);
  const room = await findRoom(options.apiPort);
  const environment = {
    // The user's own settings take precedence: if Docker runs on another host, this host cannot
    // determine what is free there.
    KINTSUGI_SUBNET: String(room.subnet),
    KINTSUGI_API_PORT: String(room.apiPort),
    ...config.inherited,
    COMPOSE_PROJECT_NAME: name,
    KINTSUGI_PROFILE: options.profile,
    KINTSUGI_OUTPUT: output,
    ...(options.apiPort === undefined ? {} : { KINTSUGI_API_PORT: String(options.apiPort) }),
  };
  const directory = join(config.repository, "deploy/compose");
  return {
    name,
    compose: ({ signal }, ...args) => runProgram({ environment, directory, signal }, program, [...words, ...args]),
  };
}

/**
 * Version 2 is a plug-in of docker, version 1 a program. @throws CommandError when neither version
 * is installed.
 */
async function composeCommand({ config, signal }: CommandContext): Promise<string[]> {
  for (const command of [["docker", "compose"], ["docker-compose"]]) {
    const [program = "", ...words] = command;
    const found = await runProgram({ environment: config.inherited, signal }, program, [...words, "version"]).then(
      () => true,
      () => false,
    );
    if (found) return command;
  }
  throw new CommandError("there is neither `docker compose` nor docker-compose: install one of them");
}

/**
 * A node is a container that is identified by its labels: both versions of compose write these
 * labels, but name containers differently.
 */
function containerMachines({ config, signal }: CommandContext, project: string): Machines {
  const docker = (...args: string[]) => runProgram({ environment: config.inherited, signal }, "docker", args);
  const containers = new Map<string, string>();
  const containerOf = async (node: string): Promise<string> => {
    const known = containers.get(node);
    if (known !== undefined) return known;
    const labels = [`com.docker.compose.project=${project}`, `com.docker.compose.service=${node}`];
    const listed = await docker("ps", "--all", "--quiet", ...labels.flatMap((label) => ["--filter", `label=${label}`]));
    const [id] = listed.split("\n");
    if (id === undefined || id === "") throw new CommandError(`project ${project} has no container for ${node}`);
    containers.set(node, id);
    return id;
  };
  return {
    kill: async (node) => void (await docker("kill", await containerOf(node))),
    return: async (node) => void (await docker("start", await containerOf(node))),
    ...machinesByShell(async (node, command) => docker("exec", await containerOf(node), ...command)),
  };
}
