import type { ExplainedReason, Explanation, Remedy } from "@kintsugi/explanation";

/** The way in which the caller reached the cluster. */
export interface Access {
  readonly name: string;
  readonly kubeconfig?: string;
}

/** Commands that act on a lab of this host, by its supervisor. */
const ofLab = /^kintsugi (node|status|timeline|join) /;
const ofProgram = /^kintsugi /;

/** The name of a cluster that needs no option. */
const defaultName = "kintsugi";

/**
 * The explanation with commands that can be run as they stand: those of this program name the same
 * cluster, and those for a lab are left out where the cluster is not on this host.
 */
export function withCommandsHere(explanation: Explanation, access: Access): Explanation {
  return { ...explanation, reasons: explanation.reasons.map((reason) => inReason(reason, access)) };
}

function inReason(reason: ExplainedReason, access: Access): ExplainedReason {
  if (reason.remedies === undefined) return reason;
  const { remedies, ...rest } = reason;
  const usable = remedies.flatMap((remedy) => inRemedy(remedy, access));
  return usable.length === 0 ? rest : { ...rest, remedies: usable };
}

function inRemedy(remedy: Remedy, { name, kubeconfig }: Access): Remedy[] {
  const { command = "" } = remedy;
  if (!ofProgram.test(command)) return [remedy];
  if (kubeconfig !== undefined) {
    return ofLab.test(`${command} `)
      ? []
      : [{ ...remedy, command: `${command} --kubeconfig ${shellQuoted(kubeconfig)}` }];
  }
  return [name === defaultName ? remedy : { ...remedy, command: `${command} --name ${name}` }];
}

function shellQuoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
