import { existsSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Option } from "commander";
import {
  archivedImages,
  createControlClient,
  findNode,
  type ImageStore,
  imageStores,
  importImages,
  InvalidSpec,
  isPulledAlways,
  nodePaths,
  packLayout,
  saveImage,
} from "@kintsugi/lab";
import { clusterNamed, supervisorAway } from "../base/cluster-access.ts";
import { ClusterOption } from "../base/cluster-option.ts";
import { type Command, type CommandContext, CommandError } from "../base/command.ts";

interface LoadOptions {
  name: string;
  node?: string[];
  from?: ImageStore;
  socket?: string;
}

/** A destination into which images are loaded. */
interface Target {
  label: string;
  socket: string;
}

/** Debian's and upstream's containerd listens here. */
const hostContainerdSocket = "/run/containerd/containerd.sock";

export const image: Command = {
  declare(program, run) {
    const group = program.command("image").description("Load images into nodes without a registry");
    group
      .command("load <image...>")
      .description("Load images into the nodes: archives of `docker save`, OCI layouts, or names that this host has")
      .addHelpText(
        "after",
        "\nAn argument that is a file or a directory is an archive; any other argument is the name of an image of this host's Docker or containerd.\n" +
          "A container whose image has the tag latest, or no tag, still pulls the image unless its imagePullPolicy is IfNotPresent or Never.",
      )
      .addOption(new ClusterOption("changes"))
      .option("--node <node>", "load only into this node; may be repeated (default: all nodes that are on)", collect)
      .addOption(
        new Option("--from <store>", "where this host has the image (default: Docker, then containerd)").choices(
          imageStores,
        ),
      )
      .option("--socket <path>", "load into the containerd that listens here, on a machine without `kintsugi up`")
      .action(run((context, images: string[], options: LoadOptions) => load(context, images, options)));
  },
};

async function load(context: CommandContext, images: readonly string[], options: LoadOptions): Promise<void> {
  const targets = options.socket === undefined ? await nodesOf(context, options) : [socketTarget(options.socket)];
  const scratch = await mkdtemp(join(tmpdir(), "kintsugi-images-"));
  try {
    for (const [index, argument] of images.entries()) {
      const archive = await archiveOf(context, argument, { ...options, file: join(scratch, `${index}.tar`) });
      const names = await archivedImages(archive.described);
      await importInto(context, targets, { archive: archive.file, names });
      warnOfTags(context, names);
    }
  } catch (error) {
    if (error instanceof InvalidSpec) throw new CommandError(error.message, { cause: error });
    throw error;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Loads images into nodes of a running cluster: all nodes that are on, or the named nodes. */
export async function loadImages(
  context: CommandContext,
  images: readonly string[],
  options: { name: string; node?: string[] },
): Promise<void> {
  if (images.length > 0) await load(context, images, options);
}

/** The archive of one argument; if it is a directory, its names are read from it. */
async function archiveOf(
  { terminal, config }: CommandContext,
  argument: string,
  options: { from?: ImageStore; file: string },
): Promise<{ file: string; described: string }> {
  const path = resolve(argument);
  const isFile = options.from === undefined && existsSync(path);
  if (isFile && !(await stat(path)).isDirectory()) return { file: path, described: path };
  if (isFile) {
    await terminal.step({ doing: `Packing ${argument}`, done: `${argument} packed` }, () =>
      packLayout(path, options.file),
    );
    return { file: options.file, described: path };
  }
  // The variable of `ctr` itself.
  const containerdSocket = config.inherited["CONTAINERD_ADDRESS"] ?? hostContainerdSocket;
  await terminal.step(`Saving ${argument}`, async (update) => {
    const store = await saveImage(argument, { ...options, containerdSocket });
    update(`${argument} saved from ${store}`);
  });
  return { file: options.file, described: options.file };
}

async function importInto(
  { terminal }: CommandContext,
  targets: readonly Target[],
  { archive, names }: { archive: string; names: readonly string[] },
): Promise<void> {
  const { size } = await stat(archive);
  const title = `${listed(names)} (${formatMegabytes(size)})`;
  for (const { label, socket } of targets)
    await terminal.step({ doing: `${label}: loading ${title}`, done: `${label} has ${title}` }, () =>
      importImages(socket, archive),
    );
}

/** Width of a step's line; an archive may contain dozens of images. */
const namesShownMax = 2;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, namesShownMax).join(", ");
  return names.length > namesShownMax ? `${shown} and ${names.length - namesShownMax} more` : shown;
}

async function nodesOf(context: CommandContext, options: LoadOptions): Promise<Target[]> {
  const cluster = await clusterNamed(options.name);
  const states = (await createControlClient(cluster.paths.supervisorSocket).status())?.nodes;
  if (states === undefined) throw supervisorAway(options.name);
  const wanted = options.node?.map((name) => findNode(cluster.spec, name)) ?? cluster.spec.nodes;
  const off = wanted.filter((node) => states[node.name]?.power === "off").map((node) => node.name);
  if (off.length > 0 && options.node !== undefined)
    throw new CommandError(`${off.join(", ")}: off, so nothing can be loaded`);
  if (off.length > 0)
    context.terminal.say(`${off.join(", ")}: off, and left out; load the image again when they are on`);
  const targets = wanted
    .filter((node) => !off.includes(node.name))
    .map((node) => ({ label: node.name, socket: nodePaths(cluster.paths, node).containerdSocket }));
  if (targets.length === 0) throw new CommandError("no node is on, so nothing was loaded");
  return targets;
}

function socketTarget(socket: string): Target {
  if (!existsSync(socket)) throw new CommandError(`--socket ${socket}: nothing listens there`);
  return { label: socket, socket };
}

function warnOfTags({ terminal }: CommandContext, names: readonly string[]): void {
  for (const name of names.filter(isPulledAlways))
    terminal.say(`   ${name}: pods pull this tag at every start unless their imagePullPolicy is IfNotPresent or Never`);
}

function formatMegabytes(bytes: number): string {
  const megabytes = bytes / 1_000_000;
  return `${megabytes < 10 ? megabytes.toFixed(1) : Math.round(megabytes)} MB`;
}

function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}
