import { spawn } from "node:child_process";
import { once } from "node:events";
import { open, rename, rm } from "node:fs/promises";
import { isApiError } from "@kintsugi/api";
import { ConnectionError, download } from "@kintsugi/client";
import { accessTo, clusterNamed, userAgent, whyUnreachable } from "../base/cluster-access.ts";
import { ClusterOption, kubeconfigOption } from "../base/cluster-option.ts";
import { AlreadyTold, type Command, CommandError, type CommandContext } from "../base/command.ts";

const snapshotPath = "/apis/kintsugi.dev/v1alpha1/snapshot";

interface SaveOptions {
  name: string;
  kubeconfig?: string;
}

export const snapshot: Command = {
  declare(program, run) {
    const group = program.command("snapshot").description("Save and restore all objects of a cluster");
    group
      .command("save <file>")
      .description(
        "Write all current objects, including Secrets, to a file while the cluster runs, and verify the file",
      )
      .addOption(new ClusterOption("reads"))
      .option(...kubeconfigOption)
      .action(run((context, file: string, options: SaveOptions) => save(context, file, options)));
    group
      .command("status <file>")
      .description("Verify a snapshot, and print a summary of its contents")
      .option("--json", "print one JSON object")
      .action(
        run((context, file: string, { json }: { json?: boolean }) =>
          runOnSnapshot(context, ["status", file, ...(json === true ? ["--json"] : [])]),
        ),
      );
    group
      .command("restore <file>")
      .description(
        "Restore a snapshot into an empty directory, which becomes the data directory of an API server, or into etcd",
      )
      .option("--data-dir <directory>", "directory of the store, which must be empty or missing")
      .option("--etcd-servers <urls>", "URLs of etcd's members, separated by commas")
      .option("--etcd-cafile <file>", "certificate authority of etcd's members, PEM")
      .option("--etcd-certfile <file>", "client certificate for connections to etcd, PEM")
      .option("--etcd-keyfile <file>", "private key of the certificate, PEM")
      .option("--etcd-prefix <prefix>", "prefix of all keys in etcd, under which no key may exist")
      .action(
        run((context, file: string, options: RestoreOptions) =>
          runOnSnapshot(context, ["restore", file, ...restoreFlags(options)]),
        ),
      );
  },
};

type RestoreOptions = Partial<
  Record<"dataDir" | "etcdServers" | "etcdCafile" | "etcdCertfile" | "etcdKeyfile" | "etcdPrefix", string>
>;

function restoreFlags(options: RestoreOptions): string[] {
  const flags = {
    "data-dir": options.dataDir,
    "etcd-servers": options.etcdServers,
    "etcd-cafile": options.etcdCafile,
    "etcd-certfile": options.etcdCertfile,
    "etcd-keyfile": options.etcdKeyfile,
    "etcd-prefix": options.etcdPrefix,
  };
  return Object.entries(flags).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
}

/** The file gets its name when it is complete and verified. */
async function save(context: CommandContext, file: string, options: SaveOptions): Promise<void> {
  const { clock, random, terminal } = context;
  const access = await accessTo(options);
  const part = `${file}.part`;
  try {
    await terminal.step({ doing: `Saving to ${file}`, done: `saved to ${file}` }, async () => {
      await using target = await open(part, "w", 0o600);
      const stream = download({ clock, random }, { ...access, userAgent }, snapshotPath);
      for await (const chunk of stream) await target.writeFile(chunk);
      await target.sync();
    });
    await runOnSnapshot(context, ["status", part]);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    if (error instanceof ConnectionError && options.kubeconfig === undefined)
      throw await whyUnreachable(await clusterNamed(options.name), error);
    if (isApiError(error) || error instanceof ConnectionError) throw new CommandError(error.message, { cause: error });
    throw error;
  }
}

/**
 * Only the API server's code reads the store's files, so a separate program reads and writes them.
 */
async function runOnSnapshot({ config, signal }: CommandContext, args: readonly string[]): Promise<void> {
  const [program = "", ...words] = config.snapshotCommand;
  const child = spawn(program, [...words, ...args], { stdio: "inherit", signal });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new AlreadyTold(code ?? 1);
}
