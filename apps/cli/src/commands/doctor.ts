import { textTable } from "@kintsugi/api";
import {
  canInstall,
  clusterRequirements,
  explainFindings,
  findLeftovers,
  inspectHost,
  listClusterNames,
  lackingOf,
  type Requirement,
  requirements,
  RootNeeded,
} from "@kintsugi/lab";
import { findProgram, runCommand } from "@kintsugi/daemon";
import { etcdVersionFault } from "@kintsugi/etcd/version";
import { type Command, type CommandContext, CommandError } from "../base/command.ts";
import { installWithStep } from "../base/install-with-step.ts";

export const doctor: Command = {
  declare(program, run) {
    program
      .command("doctor")
      .description("Check this host for missing packages and kernel features")
      .option("--tests", "also the packages that only this project's tests use")
      .option("--install", "install what is missing (Debian, Ubuntu; as root)")
      .action(
        run(async ({ config, terminal }, options: { tests?: boolean; install?: boolean }) => {
          const listed = options.tests ? requirements : clusterRequirements;
          if (options.install) await install({ config, terminal }, lackingOf(listed, config.host));
          const findings = inspectHost(config.host);
          const rows = listed.map((requirement) => {
            const found = requirement.anyOf
              .map((name) => findProgram(name, config.host.searchPath))
              .find((path) => path !== undefined);
            const lack = findings.missing.includes(requirement) ? "✗" : "•";
            return [found ? "✓" : lack, requirement.package, found ?? "missing", requirement.because];
          });
          const etcdFault = await faultOfEtcd(config.host.searchPath);
          rows.push([
            config.kubectl ? "✓" : "•",
            "kubectl",
            config.kubectl ?? "missing",
            "needed by the user of the cluster, not by the cluster itself",
          ]);
          for (const line of textTable(["", "PACKAGE", "FOUND", "FOR"], rows)) terminal.out(line);
          if (etcdFault !== undefined) terminal.out(`\n${etcdFault}`);
          for (const name of await namesForThisUser())
            terminal.out(
              `\nCluster "${name}" holds ${(await findLeftovers(name)).length} directories, cgroups, mounts and rules.`,
            );
          const lacking = explainFindings(findings);
          if (lacking !== undefined) throw new CommandError(lacking);
          terminal.say("\nThis host can run clusters.");
        }),
      );
  },
};

/** A user who is not root cannot list clusters, but the host is checked anyway. */
async function namesForThisUser(): Promise<string[]> {
  try {
    return await listClusterNames();
  } catch (error) {
    if (error instanceof RootNeeded) return [];
    throw error;
  }
}

async function install(
  context: Pick<CommandContext, "config" | "terminal">,
  lacking: readonly Requirement[],
): Promise<void> {
  if (lacking.length === 0) return;
  const names = lacking.map((requirement) => requirement.package).join(" ");
  if (!canInstall(context.config.host))
    throw new CommandError(`--install needs root and apt-get, for these packages: ${names}`);
  await installWithStep(context, lacking);
}

/**
 * Returns the reason why this host's etcd is suitable only for tests and labs; undefined for other
 * versions.
 */
async function faultOfEtcd(searchPath: string): Promise<string | undefined> {
  const program = findProgram("etcd", searchPath);
  if (program === undefined) return undefined;
  // The first line is "etcd Version: 3.4.23".
  const text = await runCommand(program, ["--version"]).catch(() => "");
  return etcdVersionFault(/^etcd Version: (\S+)/m.exec(text)?.[1] ?? "");
}
