import { createHash } from "node:crypto";
import { isAbsolute, join, resolve } from "node:path";
import { version } from "@kintsugi/daemon";
import { type Command, CommandError } from "../base/command.ts";
import type { CliConfig } from "../config.ts";
import { assetScripts, writeAssets } from "./assets.ts";

export const envtestAssets: Command = {
  declare(program, run) {
    program
      .command("envtest-assets")
      .description("Print a directory with kube-apiserver, etcd and kubectl for suites of envtest (KUBEBUILDER_ASSETS)")
      .option("--directory <directory>", "directory to write them to (default: one in your cache directory)")
      .action(
        run(async ({ config, terminal }, { directory }: { directory?: string }) => {
          if (config.host.platform === "win32")
            throw new CommandError(
              "envtest's programs are shell scripts, which Windows cannot run: set USE_EXISTING_CLUSTER=true and run `kintsugi test-server`",
            );
          const target = directory === undefined ? directoryIn(config) : resolve(directory);
          await writeAssets(target, assetScripts(config.envtestCommands));
          terminal.out(target);
        }),
      );
  },
};

/**
 * Each installation has its own directory, so that removing one does not affect the other
 * installations.
 */
function directoryIn({ envtestCommands, inherited, environment }: CliConfig): string {
  const { XDG_CACHE_HOME: named = "" } = inherited;
  const home = environment.HOME ?? "";
  if (!isAbsolute(named) && !isAbsolute(home))
    throw new CommandError("HOME is not set: choose a directory with --directory");
  const cache = isAbsolute(named) ? named : join(home, ".cache");
  const installation = createHash("sha256").update(envtestCommands.kubeApiserver.join("\0")).digest("hex").slice(0, 12);
  return join(cache, "kintsugi", "envtest-assets", `${version}-${installation}`);
}
