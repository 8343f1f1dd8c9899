import {
  explainFindings,
  findLeftovers,
  findProgram,
  inspectHost,
  listClusterNames,
  requirements,
} from "@kintsugi/lab";
import { formatTable } from "../output/table.ts";
import { type Command, CommandError } from "../base/command.ts";

export const doctor: Command = {
  declare(program, run) {
    program
      .command("doctor")
      .description("Check this host for missing packages and kernel features")
      .action(
        run(async ({ config, terminal }) => {
          const findings = inspectHost(config.host);
          const rows = requirements.map((requirement) => {
            const found = requirement.anyOf
              .map((name) => findProgram(name, config.host.searchPath))
              .find((path) => path !== undefined);
            const lack = findings.optional.includes(requirement) ? "•" : "✗";
            return [found ? "✓" : lack, requirement.package, found ?? "missing", requirement.because];
          });
          rows.push([
            config.kubectl ? "✓" : "•",
            "kubectl",
            config.kubectl ?? "missing",
            "needed by the user of the cluster, not by the cluster itself",
          ]);
          for (const line of formatTable(["", "PACKAGE", "FOUND", "FOR"], rows)) terminal.out(line);
          for (const name of await listClusterNames())
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
